import { codedError, documentNotFound, permissionNeeded, stripEnd } from '@sheaf/contract';
import { correspondentsFor, type Db } from '@sheaf/db';
import { and, asc, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { correspondents, type Document, type DocumentFact, documentEinvoices, documentFacts, documents } from '@sheaf/db/schema';
import type { Fact, FoundFacts } from '@sheaf/facts';
import type { EinvoiceFacts } from '@sheaf/vocabulary/einvoices';
import { FACT_KINDS, FACTS_VERSION, type FactKind } from '@sheaf/vocabulary/facts';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { CORRESPONDENTS, createEntry, lockName } from '../index.ts';
import { type Filed, fieldOf, filedBy, learnFromChoice, MIN_SENDER_CONFIDENCE, toFactRows } from './learn-from-choice.ts';

/** What a choice changed, as events say it. */
export interface ChoiceChanges extends FiledChanges {
  readonly facts: Readonly<Record<string, string>>;
}

const findFact = async (tx: Db, documentId: string, id: string): Promise<DocumentFact> => {
  const [fact] = await tx
    .select()
    .from(documentFacts)
    .where(and(eq(documentFacts.id, id), eq(documentFacts.documentId, documentId)));
  if (fact === undefined) throw codedError('NOT_FOUND', 'FACT_NOT_FOUND', { fact_id: id });
  return fact;
};

/** What the document is filed by with the fact, and what is said of it. */
const fileBy = async (
  tx: Db,
  principal: Principal,
  fact: DocumentFact,
): Promise<{ readonly fields: Partial<Document>; readonly changes: FiledChanges }> => {
  if (fact.kind === 'document_date') return { fields: { documentDate: fact.value }, changes: { document_date: fact.value } };
  if (fact.kind !== 'sender') return { fields: {}, changes: {} };
  const correspondent = await takeCorrespondent(tx, principal, fact);
  await tx.update(documentFacts).set({ correspondentId: correspondent.id }).where(eq(documentFacts.id, fact.id));
  return { fields: { correspondentId: correspondent.id }, changes: { correspondent } };
};

/**
 * Makes a fact the one of its kind that counts, as a person wishes: nothing but people changes it again. The date or the correspondent
 * of the document, which the caller has locked, becomes what it says, and the correspondent learns from it. Throws FACT_NOT_FOUND, and
 * FORBIDDEN where it takes a correspondent that `principal` may not make.
 */
export const chooseFact = async (tx: Db, principal: Principal, documentId: string, factId: string): Promise<ChoiceChanges> => {
  const fact = await findFact(tx, documentId, factId);
  const { fields, changes } = await fileBy(tx, principal, fact);
  const isOfKind = and(eq(documentFacts.documentId, documentId), eq(documentFacts.kind, fact.kind));
  await tx
    .update(documentFacts)
    .set({ isChosen: sql`${documentFacts.id} = ${factId}` })
    .where(isOfKind);
  const field = fieldOf(fact.kind);
  const [document] = await tx
    .update(documents)
    .set({
      ...fields,
      confirmedFields: sql`array_append(array_remove(${documents.confirmedFields}, ${field}), ${field})`,
      updatedAt: sql`now()`,
    })
    .where(eq(documents.id, documentId))
    .returning();
  if (document !== undefined && document.correspondentId !== null) {
    const { correspondentId, confirmedFields } = document;
    await learnFromChoice(tx, principal, { documentId, correspondentId, facts: await listFacts(tx, document), confirmedFields });
  }
  return { ...changes, facts: { [fact.kind]: fact.value } };
};

/** Which facts count: of dates and senders those that the document is filed by now, whoever filed it. */
const chosenIds = (facts: readonly DocumentFact[], { documentDate, correspondentId }: FiledDocument): Set<string> => {
  const senders = facts.filter(
    (fact) => fact.kind === 'sender' && fact.correspondentId !== null && fact.correspondentId === correspondentId,
  );
  const sender = senders.find(({ isChosen }) => isChosen) ?? senders[0];
  const others = facts.filter(({ kind, value, isChosen }) =>
    kind === 'document_date' ? value === documentDate : kind !== 'sender' && isChosen,
  );
  return new Set([...others, ...(sender === undefined ? [] : [sender])].map(({ id }) => id));
};

type FiledDocument = Pick<Document, 'id' | 'documentDate' | 'correspondentId' | 'confirmedFields'>;

/** A fact, and whether a person has said that it counts. */
export type ListedFact = DocumentFact & { readonly isConfirmed: boolean };

/** The facts of a document by kind, the best first: there are at most ten of each. Whoever calls it has found that they may be read. */
export const listFacts = async (db: Db, document: FiledDocument): Promise<ListedFact[]> => {
  const rows = await db.select().from(documentFacts).where(eq(documentFacts.documentId, document.id)).orderBy(asc(documentFacts.rank));
  const chosen = chosenIds(rows, document);
  return FACT_KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind)).map((row) => {
    const isChosen = chosen.has(row.id);
    return { ...row, isChosen, isConfirmed: isChosen && document.confirmedFields.includes(fieldOf(row.kind)) };
  });
};

interface NamedCorrespondent {
  readonly id: string;
  readonly name: string;
}

const findById = async (tx: Db, id: string): Promise<NamedCorrespondent | undefined> =>
  (await tx.execute<{ id: string; name: string }>(sql`select id, name from correspondents where id = ${id} for key share`)).rows[0];

/** One that `principal` may see, by its name or by another that it has: their own, or the oldest. */
const findByName = async (tx: Db, principal: Principal, name: string): Promise<NamedCorrespondent | undefined> => {
  const { rows } = await tx.execute<{ id: string; name: string }>(sql`
    select id, name from correspondents
    where ${correspondentsFor(principal, 'labels.read')}
      and (lower(name) = lower(${name}) or exists (select from unnest(aliases) as alias where lower(alias) = lower(${name})))
    order by lower(name) = lower(${name}) desc, coalesce(created_by = ${principal.userId}::uuid, false) desc, id
    limit 1 for key share`);
  return rows[0];
};

const NOTHING_KNOWN = { aliases: [], ibans: [], vatIds: [], domains: [] };

/** As names are kept: what a page has of control characters and wide gaps is none of a name. */
const toName = (value: string): string =>
  value
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

/**
 * Whom a sender stands for: the correspondent that it was found to be, one of its name, or a new one. Throws FORBIDDEN where `principal`
 * may not make it.
 */
const takeCorrespondent = async (tx: Db, principal: Principal, sender: DocumentFact): Promise<NamedCorrespondent> => {
  const known = sender.correspondentId === null ? undefined : await findById(tx, sender.correspondentId);
  if (known !== undefined) return known;
  const name = toName(sender.value);
  await lockName(tx, CORRESPONDENTS, name);
  const named = await findByName(tx, principal, name);
  if (named !== undefined) return named;
  if (scopeOf(principal.permissions, 'labels.create') === 'none') throw permissionNeeded('labels.create');
  return createEntry(tx, CORRESPONDENTS, { name, details: NOTHING_KNOWN }, principal);
};

/** What changed of a document, as events say it. */
export interface FiledChanges {
  readonly document_date?: string | null;
  readonly correspondent?: { readonly id: string; readonly name: string } | null;
}

type Names = ReadonlyMap<string, string>;

/** The names of those that exist. They neither go nor change their names before the end of the transaction. */
const holdCorrespondents = async (tx: Db, ids: readonly string[]): Promise<Names> => {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({ id: correspondents.id, name: correspondents.name })
    .from(correspondents)
    .where(inArray(correspondents.id, [...ids]))
    .orderBy(correspondents.id)
    .for('share');
  return new Map(rows.map(({ id, name }) => [id, name]));
};

const lockFiled = async (tx: Db, documentId: string): Promise<Filed> => {
  const { documentDate, correspondentId, confirmedFields } = documents;
  const [filed] = await tx
    .select({ documentDate, correspondentId, confirmedFields })
    .from(documents)
    .where(eq(documents.id, documentId))
    .for('no key update');
  if (filed === undefined) throw documentNotFound(documentId);
  return filed;
};

/** What events say of the way from one to the other. */
const changesBetween = (before: Omit<Filed, 'confirmedFields'>, after: Omit<Filed, 'confirmedFields'>, names: Names): FiledChanges => {
  const name = after.correspondentId === null ? undefined : names.get(after.correspondentId);
  return {
    ...(after.documentDate === before.documentDate ? {} : { document_date: after.documentDate }),
    ...(after.correspondentId === before.correspondentId
      ? {}
      : { correspondent: after.correspondentId === null || name === undefined ? null : { id: after.correspondentId, name } }),
  };
};

const idsOf = (facts: readonly { readonly correspondentId?: string | null | undefined }[]): string[] => [
  ...new Set(facts.flatMap(({ correspondentId }) => correspondentId ?? [])),
];

/** What a document is filed by, as its row takes it. */
interface FactFiling extends Omit<Filed, 'confirmedFields'> {
  readonly factsFoundAt: SQL;
  readonly factsVersion: number;
}

interface Plan {
  readonly before: readonly DocumentFact[];
  readonly rows: readonly DocumentFact[];
  readonly filed: Omit<Filed, 'confirmedFields'>;
  readonly changes: FiledChanges;
}

const listStored = (tx: Db, documentId: string): Promise<DocumentFact[]> =>
  tx.select().from(documentFacts).where(eq(documentFacts.documentId, documentId)).orderBy(documentFacts.rank);

/**
 * Holds the correspondents that `storeFacts` may file the document by. They are locked before documents, so call it before a job or a
 * document is locked: who deletes or renames one waits for nothing that this transaction holds.
 */
export const holdSenders = async (tx: Db, documentId: string, found: FoundFacts): Promise<void> => {
  await tx.execute(sql`
    select from correspondents where id = any(${sql.param(idsOf(found.candidates))}::uuid[] || array(
      select correspondent_id from document_facts where document_id = ${documentId} and correspondent_id is not null
    )) order by id for share`);
};

/** With the data of its e-invoice, where it has one. */
const withData = async (tx: Db, documentId: string, found: FoundFacts): Promise<FoundFacts> => {
  const [row] = await tx
    .select({ invoice: documentEinvoices.invoice })
    .from(documentEinvoices)
    .where(eq(documentEinvoices.documentId, documentId));
  return row === undefined || row.invoice === null ? found : withEinvoice(found, row.invoice);
};

const planFacts = async (tx: Db, documentId: string, onPages: FoundFacts, hasEinvoice = true): Promise<Plan> => {
  const filed = await lockFiled(tx, documentId);
  const found = hasEinvoice ? await withData(tx, documentId, onPages) : onPages;
  const before = await listStored(tx, documentId);
  const names = await holdCorrespondents(tx, idsOf([...found.candidates, ...before]));
  const rows = toFactRows(documentId, found, before, filed, new Set(names.keys()));
  const after = filedBy(rows, before, filed);
  return { before, rows, filed: after, changes: changesBetween(filed, after, names) };
};

/**
 * Replaces the facts of a document, its row locked, and says what the caller has to file it by: the date and the correspondent that people
 * have set stay, as does each fact that they have chosen. `hasEinvoice` false: it has none, so none is looked for. Throws DOCUMENT_NOT_FOUND.
 */
export const replaceFacts = async (
  tx: Db,
  documentId: string,
  found: FoundFacts,
  { hasEinvoice }: { readonly hasEinvoice?: boolean } = {},
): Promise<{ readonly filed: FactFiling; readonly changes: FiledChanges }> => {
  const { before, rows, filed, changes } = await planFacts(tx, documentId, found, hasEinvoice);
  if (before.length > 0) await tx.delete(documentFacts).where(eq(documentFacts.documentId, documentId));
  if (rows.length > 0) await tx.insert(documentFacts).values([...rows]);
  return { filed: { ...filed, factsFoundAt: sql`now()`, factsVersion: FACTS_VERSION }, changes };
};

/** The same, with the document filed. Returns what changed of it. */
export const storeFacts = async (tx: Db, documentId: string, found: FoundFacts): Promise<FiledChanges> => {
  const { filed, changes } = await replaceFacts(tx, documentId, found);
  const isChanged = Object.keys(changes).length > 0;
  await tx
    .update(documents)
    .set({ ...filed, ...(isChanged ? { updatedAt: sql`now()` } : {}) })
    .where(eq(documents.id, documentId));
  return changes;
};

/** What `storeFacts` would change of the document; nothing is written. */
export const previewFacts = async (tx: Db, documentId: string, found: FoundFacts): Promise<FiledChanges> =>
  (await planFacts(tx, documentId, found)).changes;

const RULE = 'einvoice';

/** Facts have two decimals; further ones are kept where they say something. */
const toAmount = (text: string): string => {
  const [whole = '0', decimals = ''] = text.split('.');
  return `${whole}.${decimals.slice(0, 2).padEnd(2, '0')}${stripEnd(decimals.slice(2), '0')}`;
};

/** What the data of an invoice states, by kind. */
const statedBy = (invoice: EinvoiceFacts): readonly (readonly [FactKind, string | null])[] => [
  ['document_date', invoice.issue_date],
  ['due_date', invoice.due_date],
  ['total', invoice.grand_total === null ? null : toAmount(invoice.grand_total)],
  ['currency', invoice.currency],
  ['iban', invoice.seller.iban],
  ['vat_id', invoice.seller.vat_id],
  ['invoice_number', invoice.number],
  ['sender', invoice.seller.name],
];

/** The fact as the data states it, in its place on the page where the page states it too. */
const toFact = (kind: FactKind, value: string, candidates: readonly Fact[]): Fact => {
  const ofKind = candidates.filter((fact) => fact.kind === kind);
  const same = ofKind.find((fact) => fact.value === value);
  // who the sender is known as is found by its numbers and names, as on any page
  const known = ofKind.find((fact) => fact.correspondentId !== undefined && fact.confidence >= MIN_SENDER_CONFIDENCE);
  const correspondentId = kind === 'sender' ? known?.correspondentId : undefined;
  return { page: undefined, box: undefined, ...same, kind, value, confidence: 1, rule: RULE, isAmbiguous: false, correspondentId };
};

/** The facts with those of the data of an e-invoice before all others of their kind: they are no readings that may be wrong. */
export const withEinvoice = (found: FoundFacts, invoice: EinvoiceFacts): FoundFacts => {
  const stated = statedBy(invoice).flatMap(([kind, value]) => (value === null ? [] : [toFact(kind, value, found.candidates)]));
  const isStated = (fact: Fact): boolean => stated.some(({ kind, value }) => fact.kind === kind && fact.value === value);
  const candidates = [...stated, ...found.candidates.filter((fact) => !isStated(fact))];
  return { facts: FACT_KINDS.flatMap((kind) => candidates.find((fact) => fact.kind === kind) ?? []), candidates };
};
