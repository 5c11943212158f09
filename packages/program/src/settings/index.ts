export { lockSystemSettings, readSystemSettings, writeSystemSettings } from './system-settings.ts';
export { findUserSettings, saveUserSettings, type UserSettingsFields } from './user-settings.ts';
