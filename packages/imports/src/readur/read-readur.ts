import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { factsOf, type OpenRoot, openRoot, sortOf } from '@sheaf/storage/folders';
import { openFile } from '../folder/walk-items.ts';
import type { ForeignDocument, ForeignItem } from '../foreign/foreign-document.ts';
import { ImportSourceError } from '../source-error.ts';

/** Documents that are read from the database together. */
const PAGE = 200;

interface ReadurRow extends Record<string, unknown> {
  readonly id: string;
  readonly original_filename: string;
  readonly file_path: string;
  readonly file_hash: string | null;
  readonly text: string;
  readonly tags: readonly string[];
  readonly labels: readonly string[];
  readonly created_at: Date | string | null;
  readonly updated_at: Date | string | null;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Columns that older versions lack. */
const columnsOf = async (db: Db): Promise<ReadonlySet<string>> => {
  const { rows } = await db.execute<{ name: string }>(sql`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = any(current_schemas(false)) and table_name in ('documents', 'labels', 'document_labels', 'users')`);
  return new Set(rows.map(({ name }) => name));
};

const selectPage = (known: ReadonlySet<string>, after: string): SQL => {
  const hash = known.has('documents.file_hash') ? sql`documents.file_hash` : sql`null`;
  const labels = known.has('document_labels.label_id')
    ? sql`array(select labels.name from document_labels join labels on labels.id = document_labels.label_id
        where document_labels.document_id = documents.id order by labels.name)`
    : sql`array[]::text[]`;
  return sql`
    select id, original_filename, file_path, ${hash} as file_hash, coalesce(nullif(ocr_text, ''), content, '') as text,
      coalesce(tags, '{}') as tags, ${labels} as labels, created_at, updated_at
    from documents where id > ${after}::uuid order by id limit ${PAGE}`;
};

/** Below which of its folders a file may lie: paths of the database are those of another machine. */
const candidates = (path: string): string[] => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((_, index) => parts.slice(index).join('/'));
};

const openStored = async (root: OpenRoot, stored: string): Promise<Readable> => {
  for (const path of candidates(stored)) {
    const fsPath = join(root.realPath, path);
    const stats = await lstat(fsPath).catch(() => undefined);
    if (stats !== undefined && sortOf(stats) === 'file')
      return openFile({ path, name: path, fsPath, sort: 'file', facts: factsOf(stats) }, root);
  }
  throw new Error(`the folder does not have ${stored}`);
};

const toTime = (given: Date | string | null): Date | undefined => (given === null ? undefined : new Date(given));

const toDocument = (row: ReadurRow, root: OpenRoot): ForeignDocument => ({
  id: row.id,
  filename: row.original_filename,
  open: () => openStored(root, row.file_path),
  addedAt: toTime(row.created_at),
  modifiedAt: toTime(row.updated_at),
  labels: [...new Set([...row.labels, ...row.tags])].map((name) => [name]),
  notes: [],
  pages: row.text.trim() === '' ? undefined : row.text.split('\f'),
  sha256: row.file_hash ?? undefined,
});

/**
 * The documents of Readur's database, whose files lie below `path`. Throws an ImportSourceError where there is no such folder, or
 * the database is another one.
 */
export async function* readReadur(db: Db, path: string): AsyncGenerator<ForeignItem> {
  const uploads = await openRoot({ path });
  if (uploads.kind !== 'open') throw new ImportSourceError(`There is no folder ${path}: give the upload folder of Readur.`);
  const known = await columnsOf(db);
  if (!known.has('documents.ocr_text') || !known.has('documents.original_filename'))
    throw new ImportSourceError('The database is not the one of Readur: it has no documents with their text.');
  const { rows: users } = await db.execute<{ username: string }>(sql`select username from users order by username`);
  for (const { username } of users)
    yield { rest: { kind: 'user', name: username, reason: 'Accounts are not imported; the documents belong to the owner of the import' } };
  for (let after = NO_ID; ; ) {
    const { rows } = await db.execute<ReadurRow>(selectPage(known, after));
    for (const row of rows) yield { document: toDocument(row, uploads.root) };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
