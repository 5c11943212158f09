// What only the tests of this package import: production code uses the index.

export { makeFolderSync } from './generated-secrets.ts';
export { ALIASES, type RawValues } from './parse.ts';
export { SYSTEM_SETTING_KEYS, systemSetting } from './stored-settings.ts';
export { VARIABLES, type VariableName } from './variables.ts';
