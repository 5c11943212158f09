// What only the tests of this package import: production code uses the index and the entries.
export { ChosenDocuments } from './export/chosen-documents.ts';
export { FileNames, NameSet } from './export/files/file-names.ts';
export { tagTree, UniqueNames } from './export/paperless/filing.ts';
export { RULE_TYPES } from './filters/rule-types.ts';
export { counterpartsOf } from './permissions.ts';
