import type { TestDatabase } from '@sheaf/testkit';

/** A document as an import leaves it. */
export interface ImportedRow extends Record<string, unknown> {
  readonly imported_from: string;
  readonly title: string;
  readonly filename: string;
  readonly document_date: string | null;
  readonly added: string;
  readonly archive_number: number | null;
  readonly owner: string;
  readonly owner_email: string;
  readonly correspondent: string | null;
  readonly type: string | null;
  readonly status: string;
  readonly source: string;
  readonly sha256: string;
  readonly labels: string[];
  readonly fields: Record<string, unknown> | null;
  readonly notes: { text: string; author: string | null; created: string }[] | null;
  readonly content: string | null;
  readonly origins: string[] | null;
  readonly jobs: number;
  readonly is_indexed: boolean;
  readonly confirmed: string[];
}

const QUERY = `
  select d.imported_from, d.title, d.filename, d.document_date::text, to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as added,
    d.archive_number, u.username as owner, u.email as owner_email, c.name as correspondent, t.name as type, d.status, d.source, d.sha256,
    array(select l.name from document_labels dl join labels l on l.id = dl.label_id where dl.document_id = d.id order by l.name) as labels,
    (select jsonb_object_agg(f.name, case
        when v.currency is not null then to_jsonb(v.currency || ' ' || v.number_value)
        when v.number_value is not null then to_jsonb(v.number_value)
        when v.document_value is not null then to_jsonb((select imported_from from documents linked where linked.id = v.document_value))
        else coalesce(to_jsonb(v.text_value), to_jsonb(v.date_value::text), to_jsonb(v.boolean_value)) end)
      from document_fields v join custom_fields f on f.id = v.field_id where v.document_id = d.id) as fields,
    (select jsonb_agg(jsonb_build_object('text', n.text, 'author', (select username from users where id = n.author_id),
        'created', to_char(n.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by n.created_at, n.text)
      from document_notes n where n.document_id = d.id) as notes,
    (select string_agg(p.content, chr(12) order by p.page) from document_pages p where p.document_id = d.id) as content,
    array(select distinct p.origin from document_pages p where p.document_id = d.id) as origins,
    (select count(*)::int from ocr_jobs j where j.document_id = d.id) as jobs,
    exists (select from document_search s where s.document_id = d.id) as is_indexed,
    d.confirmed_fields as confirmed
  from documents d join users u on u.id = d.owner_id left join correspondents c on c.id = d.correspondent_id
    left join document_types t on t.id = d.document_type_id
  where d.imported_from is not null order by d.imported_from`;

/** The imported documents by the ids that they had. */
export const readImported = async ({ pool }: TestDatabase): Promise<ReadonlyMap<string, ImportedRow>> => {
  const { rows } = await pool.query<ImportedRow>(QUERY);
  return new Map(rows.map((row) => [row.imported_from, row]));
};

/** The earlier files of imported documents, by the ids that these had, the oldest first, each with its text. */
export const readVersions = async ({ pool }: TestDatabase): Promise<ReadonlyMap<string, { sha256: string; content: string }[]>> => {
  const { rows } = await pool.query<{ imported_from: string; sha256: string; content: string }>(`
    select imported_from, versions.sha256, coalesce((select string_agg(content, chr(12) order by page) from document_version_pages as pages
      where pages.document_id = versions.document_id and pages.version = versions.version), '') as content
    from document_versions as versions join documents on documents.id = versions.document_id and versions.version < documents.version
    order by versions.document_id, versions.version`);
  return Map.groupBy(rows, (row) => row.imported_from);
};

/** The documents that were imported into the trash: their ids here by those that they had. */
export const readTrashed = async ({ pool }: TestDatabase): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await pool.query<{ id: string; imported_from: string }>('select id, imported_from from trashed_documents');
  return new Map(rows.map(({ id, imported_from: from }) => [from, id]));
};

const TABLES = [
  'documents',
  'document_labels',
  'document_fields',
  'document_notes',
  'document_pages',
  'labels',
  'correspondents',
  'document_types',
  'custom_fields',
  'users',
  'saved_searches',
  'rules',
  'import_items',
  'ingest_ledger',
  'ocr_jobs',
];

/** How many rows there are in the tables that an import writes. */
export const countRows = async ({ pool }: TestDatabase, tables: readonly string[] = TABLES): Promise<Record<string, number>> => {
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const { rows } = await pool.query<Record<string, number>>(`select ${counts.join(', ')}`);
  return rows[0] ?? {};
};
