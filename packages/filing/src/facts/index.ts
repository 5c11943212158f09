export {
  type ChoiceChanges,
  chooseFact,
  type FiledChanges,
  holdSenders,
  type ListedFact,
  listFacts,
  previewFacts,
  replaceFacts,
  storeFacts,
} from './choose-fact.ts';
export { countForFacts, type FactsState, findCompleted, listForFacts } from './facts-backlog.ts';
export {
  type ComparedEinvoice,
  type EinvoiceToKeep,
  einvoiceUnreadable,
  FactFinder,
  getEinvoice,
  saveEinvoice,
} from './find-document-facts.ts';
export { type MovedPage, moveFacts, readPlacedFacts } from './move-facts.ts';
