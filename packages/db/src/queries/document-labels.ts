import { validationError } from '@sheaf/contract';
import type { Db } from '../client.ts';
import { sql } from '../drizzle.ts';

/** The labels that `wanted` names by id or by name, the case of letters aside. Throws VALIDATION_ERROR naming those that do not exist. */
export const requireLabelsByIdOrName = async (tx: Db, wanted: readonly string[]): Promise<{ id: string; name: string }[]> => {
  // Held until the end of the transaction, so that a label cannot go between here and the row that refers to it.
  const { rows } = await tx.execute<{ wish: string; id: string; name: string; is_id: boolean }>(sql`
    select wishes.wish, labels.id, labels.name, labels.id::text = lower(wishes.wish) as is_id
    from unnest(${sql.param([...new Set(wanted)])}::text[]) as wishes (wish)
    join labels on lower(labels.name) = lower(wishes.wish) or labels.id::text = lower(wishes.wish)
    for key share of labels`);
  const found = new Map<string, { id: string; name: string }>();
  // an id goes before a label that somebody has called like one
  for (const { wish, id, name } of rows.toSorted((a, b) => Number(a.is_id) - Number(b.is_id))) found.set(wish, { id, name });
  const unknown = wanted.filter((wish) => !found.has(wish));
  if (unknown.length > 0)
    throw validationError(`Some labels do not exist: ${unknown.join(', ')}`, { reason: 'unknown_labels', unknown_labels: unknown });
  return [...new Map([...found.values()].map((label) => [label.id, label])).values()];
};

const uuids = (ids: readonly string[]) => sql`${sql.param([...ids])}::uuid[]`;

const documentIds = (rows: readonly { document_id: string }[]): Set<string> => new Set(rows.map((row) => row.document_id));

/** Puts every one of the labels on every one of the documents; answers the documents that lacked one. */
export const addLabelsToDocuments = async (tx: Db, documents: readonly string[], labels: readonly string[]): Promise<Set<string>> =>
  documentIds(
    (
      await tx.execute<{ document_id: string }>(sql`
        insert into document_labels (document_id, label_id)
        select document_id, label_id from unnest(${uuids(documents)}) as document_id, unnest(${uuids(labels)}) as label_id
        order by document_id, label_id
        on conflict do nothing returning document_id`)
    ).rows,
  );

/** Takes the labels off the documents; answers the documents that had one. */
export const removeLabelsFromDocuments = async (tx: Db, documents: readonly string[], labels: readonly string[]): Promise<Set<string>> =>
  documentIds(
    (
      await tx.execute<{ document_id: string }>(sql`
        delete from document_labels where document_id = any(${uuids(documents)}) and label_id = any(${uuids(labels)}) returning document_id`)
    ).rows,
  );

/** Leaves the document with these labels and no others; answers whether that changed anything. */
export const replaceLabels = async (tx: Db, documentId: string, labels: readonly string[]): Promise<boolean> => {
  const removed = await tx.execute(
    sql`delete from document_labels where document_id = ${documentId} and label_id <> all(${uuids(labels)})`,
  );
  const added = await addLabelsToDocuments(tx, [documentId], labels);
  return (removed.rowCount ?? 0) > 0 || added.size > 0;
};

/** The names of the labels of each document, in their order. */
export const listLabelNames = async (tx: Db, documents: readonly string[]): Promise<Map<string, string[]>> => {
  const { rows } = await tx.execute<{ document_id: string; names: string[] }>(sql`
    select document_id, array_agg(labels.name order by lower(labels.name)) as names
    from document_labels join labels on labels.id = label_id
    where document_id = any(${uuids(documents)}) group by document_id`);
  const names = new Map(rows.map((row) => [row.document_id, row.names]));
  return new Map(documents.map((id) => [id, names.get(id) ?? []]));
};
