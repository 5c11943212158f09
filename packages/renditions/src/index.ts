export { copySearchable, type SearchableCopy } from './copy-searchable.ts';
export { findSearchable, type NoSearchable, type SearchableFile } from './find-searchable.ts';
export { keepRendition } from './keep-rendition.ts';
export { makeStoredSearchablePdf, type SearchableParts, type SearchableTask } from './make-searchable.ts';
export { readStoredSignatures } from './stored-signatures.ts';
