// What a command line needs before anything else is loaded.
export { DEFAULT_NAME_FORMAT, NAME_PARTS, refusalOfNameFormat } from './files/file-names.ts';
