import type { Database, Db } from '@sheaf/db';
import { countDocuments, foldDocumentTallies } from '@sheaf/documents';
import { givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { sql } from 'drizzle-orm';
import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { waitFor } from '../../support/wait-for.ts';

const SOURCES = [1, 2].map((n) => `00000000-0000-7000-a000-00000000000${n}`);

interface Tally extends Record<string, unknown> {
  readonly key: string;
  readonly documents: number;
}

/** What the tables say, counted one by one. */
const counted = (db: Db) =>
  db.execute<Tally>(sql`
    with every as (
      select null::uuid as label_id, created_at, owner_id, status, source_id from documents
      union all
      select label_id, created_at, owner_id, status, source_id from document_labels join documents on documents.id = document_id
    )
    select concat_ws('|', coalesce(label_id::text, 'any'), month, owner_id, status, coalesce(source_id::text, 'none')) as key, count(*)::int as documents
    from every cross join lateral (values (date_trunc('month', created_at at time zone 'UTC')::date::text), ('all')) as level (month)
    group by 1 order by 1`);

/** What the tallies and what waits to be folded into them say. */
const tallied = (db: Db) =>
  db.execute<Tally>(sql`
    with every as (
      select label_id, coalesce(month::text, 'all') as month, owner_id, status, source_id, documents from document_tallies
      union all
      select label_id, level.month, owner_id, status, source_id, documents
      from document_tally_deltas cross join lateral (values (document_tally_deltas.month::text), ('all')) as level (month)
    )
    select concat_ws('|', coalesce(label_id::text, 'any'), month, owner_id, status, coalesce(source_id::text, 'none')) as key, sum(documents)::int as documents
    from every where label_id is null or label_id in (select id from labels) group by 1 having sum(documents) <> 0 order by 1`);

const SOME_DOCUMENT = sql`(select id from documents order by md5(id::text) limit 1)`;

/** The label of that number, where it is there; one that is made again has another id. */
const label = (n: number) => sql`(select id from labels where name = ${`label ${n % 3}`} order by id limit 1)`;

type Step = (tx: Db, owners: readonly string[], n: number) => Promise<unknown>;

const pick = <T>(values: readonly T[], n: number): T => values[n % values.length] as T;

const STEPS: Readonly<Record<string, Step>> = {
  insert: async (tx, owners, n) => {
    const { id } = await givenDocument(tx, {
      ownerId: pick(owners, n),
      source: 'webdav',
      ...(n % 3 === 0 ? {} : { sourceId: pick(SOURCES, n) }),
    });
    await tx.execute(
      sql`update documents set created_at = timestamptz '2026-01-31 23:30:00+00' + ${n % 40} * interval '1 day' where id = ${id}`,
    );
  },
  status: (tx, _, n) =>
    tx.execute(sql`update documents set status = ${pick(['pending', 'processing', 'completed'], n)} where id = ${SOME_DOCUMENT}`),
  'many statuses': (tx, _, n) => tx.execute(sql`update documents set status = ${pick(['pending', 'completed'], n)}`),
  owner: (tx, owners, n) => tx.execute(sql`update documents set owner_id = ${pick(owners, n)} where id = ${SOME_DOCUMENT}`),
  title: (tx, _, n) => tx.execute(sql`update documents set title = ${`Title ${n}`}`),
  label: (tx, _, n) =>
    tx.execute(
      sql`insert into labels (id, name, color) select gen_random_uuid(), ${`label ${n % 3}`}, '#808080' where ${label(n)} is null`,
    ),
  assign: (tx, _, n) =>
    tx.execute(sql`
      insert into document_labels select documents.id, labels.id from documents, labels where labels.id = ${label(n)}
      order by md5(documents.id::text) limit 2 on conflict do nothing`),
  unassign: (tx) => tx.execute(sql`delete from document_labels where document_id = ${SOME_DOCUMENT}`),
  relabel: (tx, _, n) =>
    tx.execute(sql`
      update document_labels set label_id = ${label(n)} where document_id = ${SOME_DOCUMENT} and ${label(n)} is not null
        and (select count(*) from document_labels other where other.document_id = document_labels.document_id) = 1`),
  'delete a label': (tx, _, n) => tx.execute(sql`delete from labels where id = ${label(n)}`),
  'delete a document': (tx) => tx.execute(sql`delete from documents where id = ${SOME_DOCUMENT}`),
  'delete many': (tx, owners, n) => tx.execute(sql`delete from documents where owner_id = ${pick(owners, n)}`),
};

const aStep = record({
  name: constantFrom(...Object.keys(STEPS), 'insert', 'insert', 'assign', 'fold'),
  n: nat(1_000),
  rollsBack: nat(4).map((chance) => chance === 0),
});

const take = async (
  { db }: Database,
  owners: readonly string[],
  { name, n, rollsBack }: { name: string; n: number; rollsBack: boolean },
) => {
  if (name === 'fold') return foldDocumentTallies(db);
  const undone = new Error('undone');
  return db
    .transaction(async (tx) => {
      await STEPS[name]?.(tx, owners, n);
      if (rollsBack) throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
};

test('tallies are what counting gives, whatever is written, rolled back or folded', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const owners = [(await givenUser(db)).id, (await givenUser(db)).id];
  await assert(
    asyncProperty(array(aStep, { minLength: 5, maxLength: 25 }), async (steps) => {
      for (const step of steps) await take(database, owners, step);
      t.deepEqual((await tallied(db)).rows, (await counted(db)).rows);
      const all = await db.execute<{ n: number }>(sql`select count(*)::int as n from documents`);
      t.deepEqual(all.rows, [{ n: await countDocuments(db) }]);
    }),
    { numRuns: 40 },
  );
  // what is left of labels that went is swept when there is something to fold
  await givenDocument(db, { ownerId: pick(owners, 0) });
  await foldDocumentTallies(db);
  t.deepEqual((await tallied(db)).rows, (await counted(db)).rows);
  t.is((await db.execute(sql`select from document_tally_deltas`)).rows.length, 0);
  const idle = sql`documents = 0 or (label_id is not null and label_id not in (select id from labels))`; // null is not in an empty list
  t.is((await db.execute(sql`select from document_tallies where ${idle}`)).rows.length, 0);
});

test('tallies are right when the same documents are labelled, read, deleted and folded at once', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const { id: ownerId } = await givenUser(db);
  for (const n of [0, 1, 2]) await STEPS['label']?.(db, [ownerId], n);
  const ids = await Promise.all(Array.from({ length: 12 }, async () => (await givenDocument(db, { ownerId })).id));
  const work = async (n: number): Promise<void> => {
    for (let round = 0; round < 25; round += 1) {
      const id = pick(ids, round * 7 + n);
      if (n === 0)
        await db.execute(sql`update documents set status = ${pick(['pending', 'processing', 'completed'], round)} where id = ${id}`);
      else if (n === 1) await foldDocumentTallies(db);
      else if (n === 2)
        // the document first, as everybody who unlabels does: its deletion takes the same rows in this order
        await db.transaction(async (tx) => {
          await tx.execute(sql`select from documents where id = ${id} for no key update`);
          await tx.execute(sql`delete from document_labels where document_id = ${id} and label_id = ${label(round + n)}`);
        });
      else if (n === 3 && round % 6 === 0) await db.execute(sql`delete from documents where id = ${id}`);
      else
        await db.execute(
          sql`insert into document_labels select id, ${label(round + n)} from documents where id = ${id} for key share on conflict do nothing`,
        );
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => work(n)));
  t.deepEqual((await tallied(db)).rows, (await counted(db)).rows);
});

test('a document that is labelled and changes its status at the same time is counted once, with its new status', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const { id: ownerId } = await givenUser(db);
  await STEPS['label']?.(db, [ownerId], 0);
  const { id } = await givenDocument(db, { ownerId });
  let change: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await tx.execute(sql`insert into document_labels select ${id}::uuid, ${label(0)}`);
    // drizzle sends a query only when somebody waits for it
    change = Promise.resolve(db.execute(sql`update documents set status = 'processing' where id = ${id}`));
    // it waits for this transaction, or has gone past it
    await waitFor(
      async () =>
        (await db.execute(sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)).rows.length >
          0 || (await db.execute(sql`select from documents where status = 'processing'`)).rows.length > 0,
      { description: 'the change of status to wait or to end', limitMs: 20_000 },
    );
  });
  await change;
  t.deepEqual((await tallied(db)).rows, (await counted(db)).rows);
});
