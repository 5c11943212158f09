import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { labelsFor } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { withAncestors, withDescendants } from './label-tree.ts';
import { requireLabelPermission } from './labels.ts';

const uuids = (ids: readonly string[]) => sql`${sql.param([...ids])}::uuid[]`;

interface Candidate extends Record<string, unknown> {
  readonly name_given: string;
  readonly id: string;
  readonly name: string;
  readonly is_id: boolean;
  readonly is_attached: boolean;
  readonly is_own: boolean;
}

/**
 * Held until the end of the transaction, so that a label cannot go between here and the row that refers to it. Ordered as they were
 * made.
 */
const findCandidates = async (
  tx: Db,
  principal: Principal,
  wanted: readonly string[],
  documents: readonly string[],
): Promise<Candidate[]> => {
  const attached = sql`exists (select from document_labels where label_id = labels.id and document_id = any(${uuids(documents)}))`;
  const { rows } = await tx.execute<Candidate>(sql`
    select given.name_given, labels.id, labels.name, labels.id::text = lower(given.name_given) as is_id, ${attached} as is_attached,
      coalesce(labels.created_by = ${principal.userId}::uuid, false) as is_own
    from unnest(${sql.param([...new Set(wanted)])}::text[]) as given (name_given)
    join labels on lower(labels.name) = lower(given.name_given) or labels.id::text = lower(given.name_given)
    where ${labelsFor(principal, 'labels.read')} or ${attached}
    for key share of labels`);
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
};

/** An id goes before a label that somebody has named like one; then all that the documents have by that name, else one: the caller's own, or the oldest. */
const chooseLabels = (candidates: readonly Candidate[]): readonly Candidate[] => {
  const byId = candidates.filter(({ is_id }) => is_id);
  if (byId.length > 0) return byId;
  const attached = candidates.filter(({ is_attached }) => is_attached);
  return attached.length > 0 ? attached : [candidates.find(({ is_own }) => is_own) ?? candidates[0]].filter((label) => label !== undefined);
};

/**
 * The labels that `wanted` names by id or by name, ignoring case, among those that `principal` may read and those that one of
 * `documents` has: labels are part of a document. Throws VALIDATION_ERROR naming those that are not among them, and FORBIDDEN
 * instead without the permission to read labels, so the answer never depends on labels of others.
 */
export const requireLabelsByIdOrName = async (
  tx: Db,
  principal: Principal,
  wanted: readonly string[],
  documents: readonly string[] = [],
): Promise<{ id: string; name: string }[]> => {
  const candidates = Map.groupBy(await findCandidates(tx, principal, wanted, documents), ({ name_given }) => name_given);
  const unknown = wanted.filter((name) => !candidates.has(name));
  if (unknown.length > 0) {
    requireLabelPermission(principal);
    throw reasonedError('VALIDATION_ERROR', 'unknown_labels', { unknown_labels: unknown });
  }
  const chosen = [...candidates.values()].flatMap(chooseLabels);
  return [...new Map(chosen.map(({ id, name }) => [id, { id, name }])).values()];
};

const documentIds = (rows: readonly { document_id: string }[]): Set<string> => new Set(rows.map((row) => row.document_id));

/** Puts every one of the labels, and those above them, on every one of the documents; answers the documents that lacked one. */
export const addLabelsToDocuments = async (tx: Db, documents: readonly string[], labels: readonly string[]): Promise<Set<string>> =>
  documentIds(
    (
      await tx.execute<{ document_id: string }>(sql`
        insert into document_labels (document_id, label_id)
        select document_id, label_id from unnest(${uuids(documents)}) as document_id, ${withAncestors(labels)} as wanted
        order by document_id, label_id
        on conflict do nothing returning document_id`)
    ).rows,
  );

/** Takes the labels, and those below them, off the documents; answers the documents that had one. */
export const removeLabelsFromDocuments = async (tx: Db, documents: readonly string[], labels: readonly string[]): Promise<Set<string>> =>
  documentIds(
    (
      await tx.execute<{ document_id: string }>(sql`
        delete from document_labels where document_id = any(${uuids(documents)}) and label_id in (select label_id from ${withDescendants(labels)} as unwanted) returning document_id`)
    ).rows,
  );

/** Leaves the document with these labels, those above them and no others; answers whether that changed anything. */
export const replaceLabels = async (tx: Db, documentId: string, labels: readonly string[]): Promise<boolean> => {
  const removed = await tx.execute(
    sql`delete from document_labels where document_id = ${documentId} and label_id not in (select label_id from ${withAncestors(labels)} as wanted)`,
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

/** Puts the labels, and those above them, on a document. */
export const addLabels = async (tx: Db, documentId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await addLabelsToDocuments(tx, [documentId], ids);
};

/** Puts each label, and those above it, on its document; answers the documents that lacked one. */
export const addLabelPairs = async (
  tx: Db,
  pairs: readonly { readonly documentId: string; readonly labelId: string }[],
): Promise<Set<string>> => {
  if (pairs.length === 0) return new Set();
  const { rows } = await tx.execute<{ document_id: string }>(sql`
    with recursive wanted as (
      select document_id, label_id
      from unnest(${uuids(pairs.map(({ documentId }) => documentId))}, ${uuids(pairs.map(({ labelId }) => labelId))}) as given (document_id, label_id)
      union select wanted.document_id, labels.parent_id from wanted join labels on labels.id = wanted.label_id where labels.parent_id is not null)
    insert into document_labels (document_id, label_id) select document_id, label_id from wanted order by document_id, label_id
    on conflict do nothing returning document_id`);
  return documentIds(rows);
};

/** Gives one document, which is locked, the labels of another as well. Returns the names of all that it has then. */
export const copyLabels = async (tx: Db, from: string, to: string): Promise<readonly string[]> => {
  await tx.execute(sql`
    insert into document_labels (document_id, label_id) select ${to}::uuid, label_id from document_labels where document_id = ${from}
    on conflict do nothing`);
  return (await listLabelNames(tx, [to])).get(to) ?? [];
};
