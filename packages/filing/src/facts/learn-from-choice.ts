import { correspondentsFor, type Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { correspondents, type DocumentFact } from '@sheaf/db/schema';
import { domainsOfName, type Fact, type FactPage, type FoundFacts } from '@sheaf/facts';
import { uuidv7 } from '@sheaf/process';
import { FACT_KINDS, type FactKind } from '@sheaf/vocabulary/facts';
import { decodePageWords } from '@sheaf/vocabulary/page-words';
import type { Principal } from '@sheaf/vocabulary/permissions';

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

/** Of each of IBANs, VAT IDs and domains: a correspondent that has more gets no more. */
const MAX_LEARNT = 20;

const LISTS = { ibans: sql`ibans`, vatIds: sql`vat_ids`, domains: sql`domains` } as const;
type ListName = keyof typeof LISTS;

/** Those of `values` that no other correspondent has that `principal` may see. */
const unclaimed = async (
  tx: Db,
  principal: Principal,
  correspondentId: string,
  list: ListName,
  values: readonly string[],
): Promise<string[]> => {
  if (values.length === 0) return [];
  const { rows } = await tx.execute<{ value: string }>(sql`
    select value from unnest(${sql.param([...values])}::text[]) as value
    where not exists (
      select from correspondents
      where id <> ${correspondentId} and value = any(${LISTS[list]}) and ${correspondentsFor(principal, 'labels.read')})`);
  return rows.map(({ value }) => value);
};

/** The correspondent, if `principal` may change it, locked until the end of the transaction. */
const lockChangeable = async (tx: Db, principal: Principal, id: string) =>
  (
    await tx
      .select()
      .from(correspondents)
      .where(and(eq(correspondents.id, id), correspondentsFor(principal, 'labels.update')))
      .for('no key update')
  )[0];

const DATES: ReadonlySet<string> = new Set(['document_date', 'due_date', 'service_date']);

/** The order that the numbers of dates stand in, as far as a person has said what an ambiguous one means. */
const confirmedOrder = (facts: readonly DocumentFact[], confirmedFields: readonly string[]) =>
  facts.find((fact) => DATES.has(fact.kind) && fact.isChosen && fact.isAmbiguous && confirmedFields.includes(fact.kind))?.dateOrder ??
  undefined;

export interface Lesson {
  readonly documentId: string;
  readonly correspondentId: string;
  /** Of the document, with those marked that count. */
  readonly facts: readonly DocumentFact[];
  readonly confirmedFields: readonly string[];
}

/**
 * Keeps with the correspondent of a document what tells its next ones: the order of its dates, where a person has confirmed one, and,
 * where one has confirmed the correspondent, IBAN, VAT ID and domains. Nothing, where `principal` may not change the correspondent.
 */
export const learnFromChoice = async (
  tx: Db,
  principal: Principal,
  { documentId, correspondentId, facts, confirmedFields }: Lesson,
): Promise<void> => {
  const correspondent = await lockChangeable(tx, principal, correspondentId);
  if (correspondent === undefined) return;
  const dateOrder = confirmedOrder(facts, confirmedFields) ?? correspondent.dateOrder;
  const numbers = confirmedFields.includes('correspondent') ? await numbersOf(tx, documentId, correspondent.name, facts) : NO_NUMBERS;
  const add = async (list: ListName): Promise<string[]> => {
    const known = correspondent[list];
    const wanted = numbers[list].filter((value) => !known.includes(value));
    return [...known, ...(await unclaimed(tx, principal, correspondentId, list, wanted)).slice(0, Math.max(0, MAX_LEARNT - known.length))];
  };
  const learnt = { dateOrder, ibans: await add('ibans'), vatIds: await add('vatIds'), domains: await add('domains') };
  await tx.update(correspondents).set(learnt).where(eq(correspondents.id, correspondentId));
};

type Numbers = Readonly<Record<ListName, readonly string[]>>;

const NO_NUMBERS: Numbers = { ibans: [], vatIds: [], domains: [] };

const numbersOf = async (tx: Db, documentId: string, name: string, facts: readonly DocumentFact[]): Promise<Numbers> => {
  const chosen = (kind: DocumentFact['kind']): string[] =>
    facts.filter((fact) => fact.kind === kind && fact.isChosen).map(({ value }) => value);
  return { ibans: chosen('iban'), vatIds: chosen('vat_id'), domains: domainsOfName(await readFirstPage(tx, documentId), name) };
};

/** Where facts stand: at the beginning of a document, and at its end. */
const PAGES = { first: 20, last: 4 };
/** Of longer pages only the beginning is read, without the positions of its words. */
const MAX_CHARACTERS = 300_000;
const KEPT_CHARACTERS = 60_000;
/** More words of a page are looked at by nobody. */
const MAX_WORDS = 6_000;

interface PageRow extends Record<string, unknown> {
  readonly page: number;
  readonly content: string;
  readonly words: Uint8Array | null;
  readonly language: string | null;
}

/** The pages that facts are looked for in, and the languages that they are in, the most usual first. */
interface FactText {
  readonly pages: readonly FactPage[];
  readonly languages: readonly string[];
}

/** The text of a document as far as facts are looked for in it. Other work of the process goes on between its pages. */
export const readFactText = async (db: Db, documentId: string, { first, last } = PAGES): Promise<FactText> => {
  const { rows } = await db.execute<PageRow>(sql`
    select page, language, case when is_long then left(content, ${KEPT_CHARACTERS}::int) else content end as content,
      case when not is_long then words end as words
    from (
      select *, char_length(content) > ${MAX_CHARACTERS}::int as is_long, row_number() over (order by page) as place, count(*) over () as total
      from document_pages where document_id = ${documentId} and not is_stale
    ) as numbered
    where place <= ${first}::int or place > total - ${last}::int order by page`);
  const pages: FactPage[] = [];
  for (const { page, content, words } of rows) {
    pages.push({
      number: page,
      text: content,
      words: words === null ? undefined : decodePageWords(content, words)?.words.slice(0, MAX_WORDS),
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { pages, languages: languagesOf(rows) };
};

/** The text of the first page. */
const readFirstPage = async (db: Db, documentId: string): Promise<readonly FactPage[]> =>
  (await readFactText(db, documentId, { first: 1, last: 0 })).pages;

const languagesOf = (rows: readonly PageRow[]): string[] => {
  const lengths = new Map<string, number>();
  for (const { language, content } of rows) if (language !== null) lengths.set(language, (lengths.get(language) ?? 0) + content.length);
  return [...lengths].toSorted(([, one], [, other]) => other - one).map(([language]) => language);
};
