export { type Counted, countLibrary, countSelection, nextAsn } from './counts.ts';
export {
  conflictOf,
  documentOrder,
  type FieldKind,
  fromPaperlessFields,
  fromPaperlessValue,
  type ListedNote,
  labelsOfDocuments,
  linkedId,
  notesOfDocuments,
  type OrderField,
  type OrderKey,
  paperlessFieldOf,
  readAmount,
  readFieldKinds,
  textsOfDocuments,
  toPaperlessFields,
  toPaperlessValue,
} from './document-parts.ts';
export type { NumberedField } from './filters/field-query.ts';
export { FILTERS } from './filters/parameters.ts';
export { ownNames, type PaperlessNames, readConditions, readRules } from './filters/read-rules.ts';
export { isTrue, readBoolean, readInteger, readIntegers, refuseField, requireLetters } from './filters/values.ts';
export { objectsInRules, type RuleNumbers, writeRules } from './filters/write-rules.ts';
export { findByNumbers, type NumberOf, numbersOf, type PaperlessKind, type PaperlessObject } from './ids.ts';
export { changesDocuments, codenamesOf } from './permissions.ts';
export { acknowledgeTasks, countTasks, listTasks, type PaperlessTask } from './tasks.ts';
export { readUiSettings, saveUiSettings } from './ui-settings.ts';
