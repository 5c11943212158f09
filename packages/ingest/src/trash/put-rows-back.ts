import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';

/** A column that refers to a row of another table. */
interface Reference {
  readonly column: string;
  readonly target: string;
  readonly target_column: string;
  /** As pg_constraint has it: `n` sets null, `c` takes the row along. */
  readonly on_delete: string;
}

/** A table as it is today. */
interface TableShape extends Record<string, unknown> {
  readonly name: KeptTable;
  /** Without those that the database fills itself. */
  readonly columns: readonly string[];
  readonly references: readonly Reference[];
}

/** Tables as they are today: an older version of the service may have moved the document to the trash. */
const readShapes = async (tx: Db): Promise<ReadonlyMap<string, TableShape>> => {
  const { rows } = await tx.execute<TableShape>(sql`
    select name,
      array(select attname::text from pg_attribute
        where attrelid = to_regclass(name) and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '') as columns,
      (select coalesce(jsonb_agg(jsonb_build_object('column', own.attname, 'target', target.relname, 'target_column', other.attname,
          'on_delete', confdeltype)), '[]')
        from pg_constraint
          join pg_class as target on target.oid = confrelid
          join pg_attribute as own on own.attrelid = conrelid and own.attnum = conkey[1]
          join pg_attribute as other on other.attrelid = confrelid and other.attnum = confkey[1]
        where contype = 'f' and conrelid = to_regclass(name) and cardinality(conkey) = 1) as references
    from unnest(${sql.param([...KEPT_TABLES])}::text[]) as name`);
  return new Map(rows.map((row) => [row.name, row]));
};

interface KeptRows extends Record<string, unknown> {
  readonly name: KeptTable;
  /** What the rows have, in order. */
  readonly keys: readonly string[];
}

/** Which tables rows were kept of, and with which columns: links from other documents may be older than the rest. */
const readKept = async (tx: Db, documentId: string): Promise<KeptRows[]> => {
  const { rows } = await tx.execute<KeptRows>(sql`
    select distinct table_name as name, array(select jsonb_object_keys(content) order by 1) as keys
    from trashed_rows where document_id = ${documentId} and table_name = any(${sql.param([...KEPT_TABLES])}::text[])`);
  return rows.toSorted((a, b) => KEPT_TABLES.indexOf(a.name) - KEPT_TABLES.indexOf(b.name));
};

const isThere = ({ column, target, target_column }: Reference): SQL =>
  sql`exists (select from ${sql.identifier(target)} as target where target.${sql.identifier(target_column)} = back.${sql.identifier(column)})`;

/** A row that referred to something that is gone by now does as it would have done in its place: it forgets it, or it is gone as well. */
const valueOf = (column: string, references: readonly Reference[]): SQL => {
  const forgets = references.find((reference) => reference.column === column && reference.on_delete === 'n');
  const value = sql`back.${sql.identifier(column)}`;
  return forgets === undefined ? value : sql`case when ${isThere(forgets)} then ${value} end`;
};

const isStillWanted = (references: readonly Reference[]): SQL => {
  const gone = references
    .filter(({ on_delete }) => on_delete === 'c')
    .map((reference) => sql`(back.${sql.identifier(reference.column)} is null or ${isThere(reference)})`);
  return gone.length === 0 ? sql`true` : sql.join(gone, sql` and `);
};

/** What is not as it was: where the files lie may have changed, and nobody processes the document now. */
const CHANGED: Readonly<Partial<Record<KeptTable, { readonly keys: readonly string[]; readonly content: SQL }>>> = {
  documents: {
    keys: ['updated_at'],
    content: sql`kept.content || jsonb_build_object(
      'owner_id', trashed.owner_id,
      'file_path', (select file_path from trashed_files as file
        where file.document_id = kept.document_id and file.version = (kept.content ->> 'version')::integer),
      'status', case kept.content ->> 'status' when 'processing' then 'pending' else kept.content ->> 'status' end,
      'archive_number', case when exists (
          select from documents as other
          where other.owner_id = trashed.owner_id and other.archive_number = (kept.content ->> 'archive_number')::integer
        ) then null else kept.content -> 'archive_number' end,
      'source_removed_at', case trashed.reason when 'source_file_removed' then to_jsonb(trashed.trashed_at)
        else kept.content -> 'source_removed_at' end,
      'updated_at', now())`,
  },
  document_versions: {
    keys: [],
    content: sql`kept.content || jsonb_build_object('file_path', (select file_path from trashed_files as file
      where file.document_id = kept.document_id and file.version = (kept.content ->> 'version')::integer))`,
  },
  // documents that came meanwhile were not compared with it
  minhash_signatures: { keys: [], content: sql`kept.content || jsonb_build_object('is_compared', false)` },
  // as a lease that expired: whoever held it has lost it
  ocr_jobs: {
    keys: [],
    content: sql`case kept.content ->> 'status' when 'processing' then kept.content || jsonb_build_object(
      'status', 'pending', 'lease_by', null, 'lease_until', null, 'claimed_at', null, 'processing_since', null,
      'fence', (kept.content ->> 'fence')::bigint + 1, 'attempts', greatest((kept.content ->> 'attempts')::integer - 1, 0))
      else kept.content end`,
  },
};

const restoreFile = async (tx: Db, documentId: string, { name, keys }: KeptRows, { columns, references }: TableShape): Promise<void> => {
  const changed = CHANGED[name];
  const known = columns.filter((column) => keys.includes(column) || changed?.keys.includes(column));
  const values = known.map((column) => valueOf(column, references));
  await tx.execute(sql`
    insert into ${sql.identifier(name)} (${sql.join(
      known.map((column) => sql.identifier(column)),
      sql`, `,
    )})
    select ${sql.join(values, sql`, `)}
    from trashed_rows as kept
      join trashed_documents as trashed on trashed.id = kept.document_id
      cross join lateral jsonb_populate_record(null::${sql.identifier(name)}, ${changed?.content ?? sql`kept.content`}) as back
    where kept.document_id = ${documentId} and kept.table_name = ${name}
      and array(select jsonb_object_keys(kept.content) order by 1) = ${sql.param([...keys])}::text[]
      and ${isStillWanted(references)}
    order by kept.id on conflict do nothing`);
};

/** What is between two documents in the trash goes to the one that stays there. */
const handOverLinks = async (tx: Db, documentId: string): Promise<void> => {
  await tx.execute(sql`
    insert into trashed_rows (document_id, table_name, content)
    select other.id, kept.table_name, kept.content
    from trashed_rows as kept join trashed_documents as other
      on other.id in ((kept.content ->> 'document_id')::uuid, (kept.content ->> 'document_value')::uuid, (kept.content ->> 'other_id')::uuid)
    where kept.document_id = ${documentId} and kept.table_name in ('document_fields', 'near_duplicates') and other.id <> ${documentId}
    order by kept.id`);
};

/** Has the rows that forgot the document know it again, unless they are about other bytes or another document by now. */
const pointAgain = async (tx: Db, documentId: string): Promise<void> => {
  for (const table of POINTING_TABLES)
    await tx.execute(sql`
      update ${sql.identifier(table)} as pointing set document_id = ${documentId}, updated_at = now()
      from trashed_rows as kept
      where kept.document_id = ${documentId} and kept.table_name = ${table} and pointing.id::text = kept.content ->> 'id'
        and pointing.document_id is null and pointing.sha256 is not distinct from kept.content ->> 'sha256'
        and pointing.state in ('ingested', 'split', 'duplicate')`);
  await tx.execute(sql`
    update ingest_ledger set reason = null, reason_code = null, reason_details = null
    where document_id = ${documentId} and reason_code in ('document_deleted', 'document_deleted_of', 'deleted_with_source')`);
};

/** Makes all rows of a document that lies in the trash anew. Lock it there, and its bytes. */
export const putRowsBack = async (tx: Db, documentId: string): Promise<void> => {
  const shapes = await readShapes(tx);
  for (const kept of await readKept(tx, documentId)) {
    const shape = shapes.get(kept.name);
    if (shape !== undefined) await restoreFile(tx, documentId, kept, shape);
  }
  await handOverLinks(tx, documentId);
  await pointAgain(tx, documentId);
};

/**
 * Tables whose rows go to the trash with their document and come back as they were, those first that others refer to. Each goes by its
 * column `document_id`, but for the document itself. A test compares all of these lists with the tables that refer to documents.
 */
export const KEPT_TABLES = [
  'documents',
  'document_pages',
  'document_labels',
  'document_facts',
  'document_einvoices',
  'document_notes',
  'document_fields',
  'document_versions',
  'document_version_pages',
  'rule_changes',
  'minhash_signatures',
  'near_duplicates',
  'shares',
  'saved_search_candidates',
  'ocr_jobs',
] as const;
type KeptTable = (typeof KEPT_TABLES)[number];

/** Tables whose rows outlive a document and forget it: what comes back points to it again where they still are about the same content. */
export const POINTING_TABLES = ['ingest_ledger', 'source_files'] as const;

/** Tables of which it is only kept that there was a row: what comes back is indexed anew. */
export const INDEX_TABLE = 'document_search';
/** Tables that are filled anew from the pages of what comes back. */
export const REMADE_TABLES = ['document_search_parts'] as const;
