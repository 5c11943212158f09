// What only the tests of this package import: production code uses the index.

export { compileGlob, countWays } from './patterns/glob.ts';
export { parseRegExp } from './patterns/regexp-syntax.ts';
export { nameToText } from './walk-folder.ts';
