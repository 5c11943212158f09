// What only the tests of this package import: production code uses the index.
export { ALIASES } from './aliases.ts';
export type { RawValues } from './layers.ts';
export { makeFolderSync } from './make-folder.ts';
export { SYSTEM_SETTING_KEYS, systemSetting } from './system-settings.ts';
export { VARIABLES, type VariableName } from './variables.ts';
