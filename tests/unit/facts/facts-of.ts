import { type Correspondent, type DateOrder, type Fact, findFacts, indexCorrespondents } from '@sheaf/facts';
import type { FactKind } from '@sheaf/vocabulary/facts';

interface Given {
  readonly languages?: readonly string[];
  readonly now?: string;
  readonly preferredDateOrder?: DateOrder;
  readonly correspondents?: readonly Correspondent[];
  readonly ignoredDates?: readonly string[];
  readonly fileName?: { readonly name: string; readonly dateOrder: DateOrder };
}

/** What is found in a text of one page, read at the end of 2026. */
export const factsOf = (text: string, given: Given = {}) => {
  const { languages = ['en'], now = '2026-11-25', correspondents = [], fileName, ...context } = given;
  const document = { pages: [{ number: 1, text }], languages, fileName };
  return findFacts(document, { ...context, now: new Date(now), correspondents: indexCorrespondents(correspondents) });
};

/** The best fact of a kind. */
export const factOf = (kind: FactKind, text: string, given: Given = {}): Fact | undefined =>
  factsOf(text, given).facts.find((fact) => fact.kind === kind);

export const valueOf = (kind: FactKind, text: string, given: Given = {}): string | undefined => factOf(kind, text, given)?.value;

/** The values of all candidates of a kind, the best first. */
export const candidatesOf = (kind: FactKind, text: string, given: Given = {}): string[] =>
  factsOf(text, given)
    .candidates.filter((fact) => fact.kind === kind)
    .map(({ value }) => value);
