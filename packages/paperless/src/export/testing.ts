// For tests.
export { ChosenDocuments } from './chosen-documents.ts';
export { FileNames, NameSet } from './files/file-names.ts';
export { tagTree, UniqueNames } from './paperless/filing.ts';
