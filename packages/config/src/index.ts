export type { Config, CorsSettings, HeaderSettings, RateLimitSettings, TrustedProxies } from './config.ts';
export { derivedValues } from './derived-values.ts';
export { effectiveDifferences, effectiveValues } from './effective-differences.ts';
export { readEnvironment } from './environment.ts';
export { appendixTables, everydayTable, exampleServiceFile, settingMeaning, variableMeaning, variablesByUse } from './example-file.ts';
export { FILE_PLACES } from './file-places.ts';
export { type FixedConfig, LIVE_FIELDS } from './fixed-config.ts';
export { flagOf, type ParsedFlags, parseFlags } from './flags.ts';
export { findFolderFailure } from './folder-checks.ts';
export type { RawValue, RawValues } from './layers.ts';
export { checkConfig, type LoadedConfig, loadConfig, loadForCommand, processOptions } from './load.ts';
export { loadOrExit } from './load-or-exit.ts';
export { ConfigError, describeIssue } from './parse.ts';
export { neededConnections, poolSize } from './resources.ts';
export { type RestoredSecrets, restoreSecrets } from './restored-secrets.ts';
export { storagePlaces } from './storage.ts';
export {
  LayeredSettings,
  readSetting,
  type SettingProblem,
  type SettingsInUse,
  type SettingValue,
  type StoredSettings,
  settingSchema,
  settingSection,
} from './stored-settings.ts';
export { isSystemSetting, SYSTEM_SETTING_KEYS, type SystemSettingKey, systemSetting } from './system-settings.ts';
export { VARIABLES, type VariableName } from './variables.ts';
