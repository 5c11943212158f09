export type { DateOrder } from './dates/date-mention.ts';
export { FACT_KINDS, type Fact, type FactKind } from './fact.ts';
export { type FactContext, type FactDocument, type FoundFacts, findFacts } from './find-facts.ts';
export { type Correspondent, type CorrespondentIndex, indexCorrespondents } from './sender/correspondents.ts';
export type { FactPage } from './text/page-lines.ts';
