export type { Config, CorsSettings, HeaderSettings, RateLimitSettings, TrustedProxies } from './config.ts';
export { derivedValues } from './derived-values.ts';
export { readEnvironment } from './environment.ts';
export { appendixTables, everydayTable, exampleServiceFile, settingMeaning, variableMeaning, variablesByUse } from './example-file.ts';
export { FILE_PLACES } from './file-places.ts';
export { effectiveDifferences, effectiveValues, type FixedConfig, LIVE_FIELDS } from './fixed-config.ts';
export { flagOf, type ParsedFlags, parseFlags } from './flags.ts';
export { findFolderFailure } from './folder-checks.ts';
export { type RestoredSecrets, restoreSecrets } from './generated-secrets.ts';
export { checkConfig, type LoadedConfig, loadConfig, loadForCommand, loadOrExit, processOptions } from './load.ts';
export { ConfigError, describeIssue, type RawValue, type RawValues } from './parse.ts';
export { neededConnections, poolSize } from './resources.ts';
export { storagePlaces } from './storage.ts';
export {
  isSystemSetting,
  LayeredSettings,
  readSetting,
  type SettingProblem,
  type SettingsInUse,
  type SettingValue,
  type StoredSettings,
  SYSTEM_SETTING_KEYS,
  type SystemSettingKey,
  settingSchema,
  settingSection,
  systemSetting,
} from './stored-settings.ts';
export { VARIABLES, type VariableName } from './variables.ts';
