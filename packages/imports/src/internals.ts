export { dateInName } from './folder/date-in-name.ts';
export { PathPattern, PatternError } from './folder/path-pattern.ts';
export { readJsonSidecar } from './folder/sidecar.ts';
export { readXmpSidecar } from './folder/xmp-sidecar.ts';
