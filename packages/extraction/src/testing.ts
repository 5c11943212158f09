// What only the tests of this package import: production code uses the index.
export { findBarcodes } from './barcodes/find-barcodes.ts';
export type { SharedParts } from './document-parts.ts';
export type { RequestToRead } from './extraction.ts';
export { FairSlots } from './fair-slots.ts';
export { findProgram } from './find-program.ts';
export { MOST_STARTS } from './program-starts.ts';
export { openScratch } from './scratch.ts';
