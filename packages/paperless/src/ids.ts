import type { Db } from '@sheaf/db';
import { and, eq, inArray, sql } from '@sheaf/db/drizzle';
import { paperlessIds } from '@sheaf/db/schema';

/** What has integers as ids in the Paperless API. A task is the processing of a document, and is known by the id of the document. */
export type PaperlessKind =
  | 'document'
  | 'tag'
  | 'correspondent'
  | 'document_type'
  | 'custom_field'
  | 'saved_view'
  | 'user'
  | 'note'
  | 'task'
  | 'share';

export interface PaperlessObject {
  readonly kind: PaperlessKind;
  readonly id: string;
}

/** The number of an object that was asked for. */
export type NumberOf = (kind: PaperlessKind, id: string) => number;

/**
 * How often nothing may come of the statement. Once is usual: others numbered all of it while it waited for them, which the next one sees.
 */
const MAX_IDLE_ROUNDS = 3;

/** The largest integer of the database. */
const MAX_NUMBER = 2_147_483_647;

const nameOf = ({ kind, id }: PaperlessObject): string => `${kind} ${id}`;

interface NumberRow extends Record<string, unknown> {
  readonly kind: PaperlessKind;
  readonly id: string;
  readonly number: number;
}

/**
 * One statement: known numbers, and new ones for what has none. What another transaction has numbered since this statement began is in
 * neither part. All are numbered in one order, so that two who see the same for the first time do not wait for each other in a circle.
 */
const readOrMake = async (db: Db, objects: readonly PaperlessObject[]): Promise<NumberRow[]> => {
  const { rows } = await db.execute<NumberRow>(sql`
    with wanted as (
      select * from unnest(${sql.param(objects.map(({ kind }) => kind))}::text[], ${sql.param(objects.map(({ id }) => id))}::uuid[]) as wanted (kind, object_id)),
    known as (select wanted.kind, wanted.object_id, number from wanted join paperless_ids using (kind, object_id)),
    made as (
      insert into paperless_ids (kind, object_id)
      select kind, object_id from wanted where not exists (
        select from known where known.kind = wanted.kind and known.object_id = wanted.object_id)
      order by kind, object_id
      on conflict do nothing returning kind, object_id, number)
    select kind, object_id as id, number from known union all select kind, object_id, number from made`);
  return rows;
};

/** The numbers of `objects`, which are given at first sight and never change. Whoever asks has found that the objects may be read. */
export const numbersOf = async (db: Db, objects: readonly PaperlessObject[]): Promise<NumberOf> => {
  const numbers = new Map<string, number>();
  let missing = [...new Map(objects.map((object) => [nameOf(object), object])).values()];
  let idleRounds = 0;
  while (missing.length > 0) {
    for (const row of await readOrMake(db, missing)) numbers.set(nameOf(row), row.number);
    const left = missing.filter((object) => !numbers.has(nameOf(object)));
    if (left.length === missing.length) idleRounds += 1;
    if (idleRounds > MAX_IDLE_ROUNDS) throw new Error('the numbers of some objects can neither be read nor made');
    missing = left;
  }
  return (kind, id) => {
    const number = numbers.get(nameOf({ kind, id }));
    if (number === undefined) throw new Error(`nobody asked for the number of ${kind} ${id}`);
    return number;
  };
};

/** The ids behind `numbers`; those that are no number of this kind are missing. Whether the caller may read the objects is not looked at. */
export const findByNumbers = async (db: Db, kind: PaperlessKind, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> => {
  const possible = [...new Set(numbers)].filter((number) => Number.isInteger(number) && number > 0 && number <= MAX_NUMBER);
  if (possible.length === 0) return new Map();
  const rows = await db
    .select({ number: paperlessIds.number, id: paperlessIds.objectId })
    .from(paperlessIds)
    .where(and(eq(paperlessIds.kind, kind), inArray(paperlessIds.number, possible)));
  return new Map(rows.map(({ number, id }) => [number, id]));
};
