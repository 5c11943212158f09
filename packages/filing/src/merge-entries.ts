import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { MAX_CORRESPONDENT_DETAILS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { deleteEntry, lockEntry } from './change-entries.ts';
import { emitDocumentUpdates, lockDocumentsOfEntry, refileDocuments } from './entry-documents.ts';
import type { FilingKind } from './filing-kinds.ts';

/** `texts` without those in `except`, each once, the case of letters aside; the first ones where there are more than an entry may have. */
const united = (texts: readonly string[], except: readonly string[]): string[] => {
  const seen = new Set(except.map((text) => text.toLowerCase()));
  const kept: string[] = [];
  for (const text of texts) {
    if (!seen.has(text.toLowerCase())) kept.push(text);
    seen.add(text.toLowerCase());
  }
  return kept.slice(0, MAX_CORRESPONDENT_DETAILS);
};

/** Adds the lists of `from` to those of `into`, and its name to the former names. */
const uniteDetails = async <D extends string>(tx: Db, kind: FilingKind<D>, from: string, into: string): Promise<void> => {
  const names = Object.keys(kind.details) as D[];
  if (names.length === 0) return;
  const lists = sql.join(
    names.map((name) => sql`${kind.details[name]} as ${sql.identifier(name)}`),
    sql`, `,
  );
  const { rows } = await tx.execute<{ id: string; name: string } & Record<D, string[]>>(
    sql`select ${kind.table.id}, ${kind.table.name}, ${lists} from ${kind.table} where ${kind.table.id} in (${from}, ${into})`,
  );
  const [gone, kept] = [rows.find(({ id }) => id === from), rows.find(({ id }) => id === into)];
  if (gone === undefined || kept === undefined) throw new Error('an entry that is locked is gone');
  const changes = names.map((name) => {
    const isNames = name === kind.formerNames;
    return [name, united([...kept[name], ...(isNames ? [gone.name] : []), ...gone[name]], isNames ? [kept.name] : [])];
  });
  await tx
    .update(kind.table)
    .set(Object.fromEntries(changes) as Partial<Record<D, string[]>>)
    .where(eq(kind.table.id, into));
};

/**
 * Locks both entries and answers their names. Throws as `lockEntry` does, and `merged_into_itself`.
 */
const lockBoth = async (tx: Db, kind: FilingKind, principal: Principal, from: string, into: string) => {
  const names = new Map<string, string>();
  // in the order of their ids, as two that are merged into each other at once would wait in a circle
  for (const id of [...new Set([from, into])].toSorted()) {
    const [action, strength] = id === from ? (['labels.delete', 'update'] as const) : (['labels.update', 'no key update'] as const);
    names.set(id, (await lockEntry(tx, kind, principal, action, id, strength)).name);
  }
  if (from === into) throw reasonedError('VALIDATION_ERROR', 'merged_into_itself');
  return { from: names.get(from) ?? '', into: names.get(into) ?? '' };
};

/** Moves the documents of the entry `from` to the entry `into` in parts, see `refileDocuments`. `mergeEntries` then has few left to move. */
export const moveBeforeMerge = (db: Db, kind: FilingKind, principal: Principal, from: string, into: string): Promise<void> =>
  refileDocuments(db, kind, from, async (tx) => ({ id: into, name: (await lockBoth(tx, kind, principal, from, into)).into }));

/**
 * Moves what documents are left at the entry `from` to the entry `into`, which also gets what is known of the other, and deletes `from`.
 * Answers both names. Throws as `lockEntry` does, and `merged_into_itself`.
 */
export const mergeEntries = async <D extends string>(
  tx: Db,
  kind: FilingKind<D>,
  principal: Principal,
  from: string,
  into: string,
): Promise<{ readonly from: string; readonly into: string }> => {
  const names = await lockBoth(tx, kind, principal, from, into);
  await lockDocumentsOfEntry(tx, kind, from);
  await emitDocumentUpdates(tx, kind, from, { id: into, name: names.into });
  for (const column of [kind.reference, ...kind.mentions])
    await tx.execute(sql`update ${column.table} set ${sql.identifier(column.name)} = ${into}::uuid where ${column} = ${from}::uuid`);
  await uniteDetails(tx, kind, from, into);
  await deleteEntry(tx, kind, from);
  return names;
};
