import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { factsOf, type OpenRoot, openRoot, sortOf } from '@sheaf/storage/folders';
import { z } from 'zod';
import { openFile } from '../folder/walk-items.ts';
import type { ForeignDocument, ForeignItem } from '../foreign/foreign-document.ts';
import { ImportSourceError, reasonOf } from '../source-error.ts';

/** Where Papra keeps them below its data folder, as it is set up by default. */
const DATABASE = 'db/db.sqlite';
const STORAGE = 'documents';
/** Documents that are read from the database together. */
const PAGE = 200;

const time = z.number().nullish();
const documentRow = z.object({
  id: z.string(),
  original_name: z.string(),
  original_storage_key: z.string(),
  original_sha256_hash: z.string(),
  name: z.string(),
  content: z.string(),
  created_at: time,
  updated_at: time,
  document_date: time,
  notes: z.string().nullish(),
  file_encryption_algorithm: z.string().nullish(),
  is_deleted: z.number(),
  organization: z.string().nullish(),
});
type DocumentRow = z.output<typeof documentRow>;

const open = (path: string): DatabaseSync => {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.prepare('select 1 from documents limit 1').get();
    return database;
  } catch (error) {
    throw new ImportSourceError(`${path} is not the database of Papra: ${reasonOf(error)}`);
  }
};

/** Names of the columns of a table; none where there is no such table. */
const columnsOf = (database: DatabaseSync, table: string): ReadonlySet<string> =>
  new Set(
    database
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map((row) => String(row['name'])),
  );

/** What is asked of documents; older versions of Papra lack some of it. */
const selectDocuments = (database: DatabaseSync): string => {
  const known = columnsOf(database, 'documents');
  const optional = ['document_date', 'notes', 'file_encryption_algorithm'].map((name) =>
    known.has(name) ? `documents.${name}` : `null as ${name}`,
  );
  return `select documents.id, original_name, original_storage_key, original_sha256_hash, documents.name, content, documents.created_at,
      documents.updated_at, is_deleted, organizations.name as organization, ${optional.join(', ')}
    from documents left join organizations on organizations.id = documents.organization_id
    where documents.id > ? order by documents.id limit ${PAGE}`;
};

const VALUE = `coalesce(value.text_value, cast(value.number_value as text),
  case when value.date_value is not null then date(value.date_value / 1000, 'unixepoch') end,
  case value.boolean_value when 1 then 'yes' when 0 then 'no' end, choice.name)`;

/** The custom properties of a document, as lines. */
const propertiesReader = (database: DatabaseSync): ((id: string) => string) => {
  if (
    !columnsOf(database, 'document_custom_property_values').has('select_option_id') ||
    !columnsOf(database, 'custom_property_select_options').has('name')
  )
    return () => '';
  const statement = database.prepare(`select definition.name, ${VALUE} as value
    from document_custom_property_values as value
      join custom_property_definitions as definition on definition.id = value.property_definition_id
      left join custom_property_select_options as choice on choice.id = value.select_option_id
    where value.document_id = ? order by definition.display_order, definition.name`);
  return (id) =>
    statement
      .all(id)
      .flatMap(({ name, value }) => (value === null || value === '' ? [] : [`${String(name)}: ${String(value)}`]))
      .join('\n');
};

/** The file of a document below the storage; the names of keys are not trusted. */
const openStored = async (root: OpenRoot, key: string): Promise<Readable> => {
  const path = key
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  if (path !== key) throw new Error(`its storage key ${JSON.stringify(key)} is none`);
  const fsPath = join(root.realPath, path);
  const stats = await lstat(fsPath).catch(() => undefined);
  if (stats === undefined) throw new Error(`the storage does not have ${key}`);
  return openFile({ path, name: path, fsPath, sort: sortOf(stats), facts: factsOf(stats) }, root);
};

const DAY_MS = 86_400_000;
const LATEST_MS = 253_402_300_799_999;
const toTime = (ms: number | null | undefined): Date | undefined =>
  typeof ms === 'number' && Math.abs(ms) < LATEST_MS ? new Date(ms) : undefined;

/** A day that was chosen at midnight somewhere: the nearest midnight of UTC. */
const toDay = (ms: number | null | undefined): string | undefined =>
  toTime(ms === null || ms === undefined ? undefined : Math.round(ms / DAY_MS) * DAY_MS)
    ?.toISOString()
    .slice(0, 10);

const toDocument = (row: DocumentRow, root: OpenRoot, labels: readonly string[], properties: string): ForeignDocument => ({
  id: row.id,
  filename: row.original_name,
  title: row.name,
  open: () => openStored(root, row.original_storage_key),
  documentDate: toDay(row.document_date),
  addedAt: toTime(row.created_at),
  modifiedAt: toTime(row.updated_at),
  labels: labels.map((label) => [label]),
  notes: [row.notes ?? '', properties].filter((text) => text.trim() !== '').map((text) => ({ text, createdAt: toTime(row.updated_at) })),
  pages: row.content.trim() === '' ? undefined : row.content.split('\f'),
  sha256: row.original_sha256_hash,
});

function* readDocuments(database: DatabaseSync, root: OpenRoot): Generator<ForeignItem> {
  const select = database.prepare(selectDocuments(database));
  const tags = database.prepare(
    'select tags.name from documents_tags join tags on tags.id = documents_tags.tag_id where document_id = ? order by tags.name',
  );
  const properties = propertiesReader(database);
  for (let after = '', rows = select.all(after); rows.length > 0; rows = select.all(after))
    for (const given of rows) {
      after = String(given['id']);
      const { data: row, error } = documentRow.safeParse(given);
      const rest = (name: string, reason: string): ForeignItem => ({ rest: { kind: 'document', name, reason, documentId: after } });
      if (row === undefined) yield rest(after, `Its row cannot be read: ${error?.issues[0]?.path.join('.') ?? ''}`);
      else if (row.is_deleted !== 0) yield rest(row.name, 'It is in the trash');
      else if (typeof row.file_encryption_algorithm === 'string')
        yield rest(row.name, 'Its file is encrypted: decrypt the storage with Papra first');
      else
        yield {
          document: toDocument(
            row,
            root,
            tags.all(after).map((tag) => String(tag['name'])),
            properties(after),
          ),
        };
    }
}

/**
 * The documents of Papra's data folder: the SQLite database in db/db.sqlite, and the files in documents/. Throws an ImportSourceError
 * for another folder.
 */
export async function* readPapra(path: string): AsyncGenerator<ForeignItem> {
  const storage = await openRoot({ path: join(await realpath(path).catch(() => path), STORAGE) });
  if (storage.kind !== 'open')
    throw new ImportSourceError(`${path} has no folder "${STORAGE}": give the data folder of Papra, with ${DATABASE} in it.`);
  const database = open(join(path, DATABASE));
  try {
    yield* readDocuments(database, storage.root);
  } finally {
    database.close();
  }
}
