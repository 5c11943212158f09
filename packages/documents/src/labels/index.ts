export {
  addLabelPairs,
  addLabels,
  addLabelsToDocuments,
  copyLabels,
  listLabelNames,
  removeLabelsFromDocuments,
  replaceLabels,
  requireLabelsByIdOrName,
} from './document-labels.ts';
export { emitDocumentUpdates, lockDocumentsOfLabel } from './label-events.ts';
export { getParent, liftChildren, listLabelsBelow, lockLabelTree, moveLabel } from './label-tree.ts';
export {
  type CountedLabel,
  createLabel,
  deleteLabel,
  getLabel,
  listLabels,
  listLabelsAfter,
  lockLabel,
  requireLabels,
  requireReadableLabels,
  updateLabel,
} from './labels.ts';
