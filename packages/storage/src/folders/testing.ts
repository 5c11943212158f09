// What only the tests of this package import: production code uses the index.
export { nameToText } from './name-text.ts';
export { countWays } from './patterns/backtracking.ts';
export { compileGlob } from './patterns/glob.ts';
export { parseRegExp } from './patterns/regexp-syntax.ts';
