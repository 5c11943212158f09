export {
  findUserSettings,
  lockSystemSettings,
  readSystemSettings,
  saveUserSettings,
  type UserSettingsFields,
  writeSystemSettings,
} from './system-settings.ts';
