export type { TextComparison } from './compare-text.ts';
export { type Counted, countLibrary, countSelection, isArchiveNumberTaken } from './counts.ts';
export {
  type Comparison,
  type DateField,
  type DocumentCondition,
  documentConditions,
  type ReferenceField,
  type TextField,
} from './document-conditions.ts';
export { type FieldKind, type ListedNote, labelsOfDocuments, notesOfDocuments, readFieldKinds } from './document-parts.ts';
export { textsOfDocuments } from './document-texts.ts';
export type { FieldQuery } from './field-query.ts';
export { findByNumbers, type NumberOf, numbersOf, type PaperlessKind, type PaperlessObject } from './ids.ts';
export { countTasks, listTasks, type PaperlessTask } from './tasks.ts';
