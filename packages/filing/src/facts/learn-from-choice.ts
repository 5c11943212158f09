import { correspondentsFor, type Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { correspondents, type DocumentFact } from '@sheaf/db/schema';
import { domainsOfName } from '@sheaf/facts';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { readFirstPage } from './fact-pages.ts';

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
