// What only the tests of this package import: production code uses the index and the entries.

export { FileNames, NameSet } from './export/files/file-names.ts';
export { ChosenDocuments } from './export/paperless/documents.ts';
export { tagTree, UniqueNames } from './export/paperless/filing.ts';
export { RULE_TYPES } from './filters/parameters.ts';
export { counterpartsOf } from './permissions.ts';
