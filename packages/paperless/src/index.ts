export { type Counted, countLibrary, countSelection } from './counts.ts';
export { documentOrder, type OrderField, type OrderKey } from './document-order.ts';
export { type FieldKind, type ListedNote, labelsOfDocuments, notesOfDocuments, readFieldKinds } from './document-parts.ts';
export { textsOfDocuments } from './document-texts.ts';
export { findByNumbers, type NumberOf, numbersOf, type PaperlessKind, type PaperlessObject } from './ids.ts';
export { acknowledgeTasks, countTasks, listTasks, type PaperlessTask } from './tasks.ts';
export { readUiSettings, saveUiSettings } from './ui-settings.ts';
