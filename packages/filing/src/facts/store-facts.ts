import { documentNotFound } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { correspondents, type DocumentFact, documentEinvoices, documentFacts, documents } from '@sheaf/db/schema';
import type { FoundFacts } from '@sheaf/facts';
import { withEinvoice } from './einvoice-facts.ts';
import { type Filed, filedBy, toFactRows } from './fact-rows.ts';

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
export const changesBetween = (
  before: Omit<Filed, 'confirmedFields'>,
  after: Omit<Filed, 'confirmedFields'>,
  names: Names,
): FiledChanges => {
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
export interface FactFiling extends Omit<Filed, 'confirmedFields'> {
  readonly factsFoundAt: SQL;
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
  return { filed: { ...filed, factsFoundAt: sql`now()` }, changes };
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
