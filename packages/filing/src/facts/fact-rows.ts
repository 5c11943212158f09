import type { DocumentFact } from '@sheaf/db/schema';
import type { Fact, FoundFacts } from '@sheaf/facts';
import { uuidv7 } from '@sheaf/process';
import { FACT_KINDS, type FactKind } from '@sheaf/vocabulary/facts';

/** Of one kind. */
const MAX_FACTS = 10;
const MAX_VALUE_CHARACTERS = 200;
/** What a sender needs to be the correspondent of its document. */
export const MIN_SENDER_CONFIDENCE = 0.7;

/** What a document is filed by, and which of it people have set. */
export interface Filed {
  readonly documentDate: string | null;
  readonly correspondentId: string | null;
  readonly confirmedFields: readonly string[];
}

/** The name under which a kind of facts is confirmed. */
export const fieldOf = (kind: FactKind): string => (kind === 'sender' ? 'correspondent' : kind);

/** Whether a person has chosen this one, and nothing has changed what it says of the document since. */
const isPersonsChoice = (fact: DocumentFact, { documentDate, correspondentId, confirmedFields }: Filed): boolean => {
  if (!fact.isChosen || !confirmedFields.includes(fieldOf(fact.kind))) return false;
  if (fact.kind === 'document_date') return fact.value === documentDate;
  return fact.kind !== 'sender' || fact.correspondentId === correspondentId;
};

const toRow = (documentId: string, fact: Fact, correspondentIds: ReadonlySet<string>): DocumentFact => ({
  id: uuidv7(),
  documentId,
  kind: fact.kind,
  value: fact.value,
  page: fact.page ?? null,
  x: fact.box?.x ?? null,
  y: fact.box?.y ?? null,
  width: fact.box?.width ?? null,
  height: fact.box?.height ?? null,
  confidence: fact.confidence,
  rule: fact.rule,
  isAmbiguous: fact.isAmbiguous,
  dateOrder: fact.dateOrder ?? null,
  isChosen: false,
  correspondentId: fact.correspondentId !== undefined && correspondentIds.has(fact.correspondentId) ? fact.correspondentId : null,
  rank: 0,
});

/** Rows of one kind, what a person has chosen among them first: where it is not found again, it stands where it stood. */
const rowsOfKind = (found: readonly DocumentFact[], choice: DocumentFact | undefined, isConfirmed: boolean): DocumentFact[] => {
  if (choice === undefined) return found.slice(0, MAX_FACTS).map((row, rank) => ({ ...row, rank, isChosen: rank === 0 && !isConfirmed }));
  const again = found.find(({ value }) => value === choice.value);
  const chosen =
    again === undefined ? choice : { ...again, id: choice.id, correspondentId: choice.correspondentId ?? again.correspondentId };
  const others = found.filter(({ value }) => value !== choice.value).slice(0, MAX_FACTS - 1);
  return [{ ...chosen, isChosen: true }, ...others].map((row, rank) => ({ ...row, rank }));
};

/**
 * The rows that replace `before`: what was found now, and what people have chosen, found again or not. `correspondentIds` are those
 * that still exist.
 */
export const toFactRows = (
  documentId: string,
  found: FoundFacts,
  before: readonly DocumentFact[],
  filed: Filed,
  correspondentIds: ReadonlySet<string>,
): DocumentFact[] => {
  const candidates = found.candidates.filter(({ value }) => Array.from(value).length <= MAX_VALUE_CHARACTERS);
  const rows = candidates.map((fact) => toRow(documentId, fact, correspondentIds));
  return FACT_KINDS.flatMap((kind) =>
    rowsOfKind(
      rows.filter((row) => row.kind === kind),
      before.find((fact) => fact.kind === kind && isPersonsChoice(fact, filed)),
      filed.confirmedFields.includes(fieldOf(kind)),
    ),
  );
};

/**
 * What the document is filed by with these rows. What people have set stays, and so does what did not come from facts where none
 * tells otherwise.
 */
export const filedBy = (rows: readonly DocumentFact[], before: readonly DocumentFact[], filed: Filed): Omit<Filed, 'confirmedFields'> => {
  const bestOf = (facts: readonly DocumentFact[], kind: FactKind) => facts.find((fact) => fact.kind === kind && fact.rank === 0);
  const cameFrom = (kind: FactKind) => before.find((fact) => fact.kind === kind && fact.isChosen);
  const isConfirmed = (field: string): boolean => filed.confirmedFields.includes(field);
  const leftDate = cameFrom('document_date')?.value === filed.documentDate ? null : filed.documentDate;
  const leftCorrespondent = cameFrom('sender')?.correspondentId === filed.correspondentId ? null : filed.correspondentId;
  const sender = bestOf(rows, 'sender');
  const isSure = sender !== undefined && sender.confidence >= MIN_SENDER_CONFIDENCE;
  return {
    documentDate: isConfirmed('document_date') ? filed.documentDate : (bestOf(rows, 'document_date')?.value ?? leftDate),
    correspondentId: isConfirmed('correspondent') ? filed.correspondentId : ((isSure ? sender.correspondentId : null) ?? leftCorrespondent),
  };
};
