export type { DateOrder } from './dates/word-dates.ts';
export type { Fact } from './fact.ts';
export { type FactContext, type FactDocument, type FoundFacts, findFacts } from './find-facts.ts';
export { type Correspondent, type CorrespondentIndex, domainsOfName, indexCorrespondents } from './sender/correspondents.ts';
export type { FactPage } from './text/page-lines.ts';
export { type Atom, splitIntoAtoms } from './text/phrases.ts';
