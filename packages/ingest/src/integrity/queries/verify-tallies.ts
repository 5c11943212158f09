import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { lockDocumentTallies } from '@sheaf/documents';

/** What the documents and their labels say themselves. */
const TRUE_TALLIES = sql`
  with counted as (
    select null::uuid as label_id, document_month(created_at) as month, owner_id, status, source_id from documents
    union all
    select label_id, document_month(created_at), owner_id, status, source_id from document_labels join documents on documents.id = document_id
  )
  select label_id, level.month, owner_id, status, source_id, count(*) as documents
  from counted cross join lateral (values (counted.month), (null)) as level (month)
  group by label_id, level.month, owner_id, status, source_id`;

/** What is kept, folded or not; of labels that are gone nobody asks any more. */
const KEPT_TALLIES = sql`
  select label_id, month, owner_id, status, source_id, sum(documents) as documents from (
    select label_id, month, owner_id, status, source_id, documents from document_tallies
    union all
    select label_id, level.month, owner_id, status, source_id, documents
    from document_tally_deltas cross join lateral (values (document_tally_deltas.month), (null)) as level (month)
  ) as parts
  where label_id is null or exists (select from labels where labels.id = label_id)
  group by label_id, month, owner_id, status, source_id having sum(documents) <> 0`;

/** A text that is equal where all parts are equal or missing: such rows can be joined by hashes. */
const keyOf = (table: string): SQL =>
  sql.join(
    ['label_id', 'month', 'owner_id', 'status', 'source_id'].map((column) => sql`coalesce(${sql.raw(`${table}.${column}`)}::text, '')`),
    sql` || '|' || `,
  );

/** How many tallies differ from what there is, all as of one moment. */
export const countTallyDifferences = async (db: Db): Promise<number> =>
  (
    await db.execute<{ differences: number }>(sql`
      with truth as (${TRUE_TALLIES}), kept as (${KEPT_TALLIES})
      select count(*)::int as differences from ((select * from truth except select * from kept) union all (select * from kept except select * from truth)) as wrong`)
  ).rows[0]?.differences ?? 0;

/** Makes the tallies anew. One statement and so one moment: what triggers append in the meantime stays and is folded later. */
export const rebuildDocumentTallies = (db: Db): Promise<void> =>
  db.transaction(async (tx) => {
    await lockDocumentTallies(tx);
    await tx.execute(sql`
      with truth as materialized (${TRUE_TALLIES}),
      taken as (delete from document_tally_deltas),
      forgotten as (
        delete from document_tallies as kept where not exists (select from truth where (${keyOf('truth')}) = (${keyOf('kept')}))
      )
      insert into document_tallies (label_id, month, owner_id, status, source_id, documents)
      select label_id, month, owner_id, status, source_id, documents from truth
      on conflict (label_id, month, owner_id, status, source_id) do update set documents = excluded.documents
      where document_tallies.documents <> excluded.documents`);
  });
