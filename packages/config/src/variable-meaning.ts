import { englishMessage } from '@sheaf/messages/english';
import { SYSTEM_SETTING_KEYS, type SystemSettingKey, systemSetting } from './system-settings.ts';
import { VARIABLES, type VariableName } from './variables.ts';

/** What a setting does, in English. */
export const settingMeaning = (key: SystemSettingKey): string => englishMessage(`settingMeanings.${key}`);

/** What a variable does, in English, as every list of variables says it. */
export const variableMeaning = (name: VariableName): string => {
  const key = SYSTEM_SETTING_KEYS.find((setting) => systemSetting(setting).variable === name);
  return key === undefined ? (VARIABLES[name].meaning ?? '') : settingMeaning(key);
};
