// For tests.
export { ChosenDocuments } from './chosen-documents.ts';
export { FileNames, NameSet } from './files/file-names.ts';
export { tagTree } from './paperless/tag-tree.ts';
export { UniqueNames } from './paperless/unique-names.ts';
