import { join } from 'node:path';
import { codedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, type PageRequest, toCut } from '@sheaf/db';
import { and, eq, getTableColumns, inArray, lt, sql } from '@sheaf/db/drizzle';
import { type Import, imports } from '@sheaf/db/schema';
import { recordEvent } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { MAX_SHOWN_IMPORT_LINES, type RequestedImportKind } from '@sheaf/vocabulary/imports';
import type { ImportSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';
import { importEvent } from './import-runs.ts';

/** What lies in the folder of an import: the file that was uploaded, and the passphrase of the export. */
export interface ImportFolder {
  readonly path: string;
  readonly upload: string;
  readonly passphrase: string;
  /** What was uploaded, unpacked where its kind needs that. */
  readonly unpacked: string;
}

/** The folder of an import below `base`. */
export const importFolder = (base: string, id: string): ImportFolder => {
  const path = join(base, id);
  return { path, upload: join(path, 'upload.zip'), passphrase: join(path, 'passphrase'), unpacked: join(path, 'unpacked') };
};

export interface ImportRequest {
  /** That of the folder with its file, where one was uploaded. */
  readonly id?: string;
  readonly kind: RequestedImportKind;
  readonly source: string;
  readonly ownerId: string;
  readonly requestedBy: string;
  /** The API key of the request; null where there is none. */
  readonly requestedKeyId: string | null;
  readonly isDryRun: boolean;
  /** On the server; null where a file was uploaded. */
  readonly path: string | null;
  /** Of the file that was uploaded. */
  readonly filename: string | null;
  readonly pattern: string | null;
  readonly hasPassphrase: boolean;
}

/** An import without its report, which may be long. */
export type ListedImport = Omit<Import, 'report'>;
const { report: _report, ...listed } = getTableColumns(imports);

/** Asks for an import. */
export const requestImport = async (tx: Db, { id = uuidv7(), ...request }: ImportRequest): Promise<ListedImport> => {
  const [row] = await tx
    .insert(imports)
    .values({ id, ...request, state: 'queued' })
    .returning(listed);
  if (row === undefined) throw new Error('an import was inserted without a row');
  await recordEvent(tx, importEvent(row), null);
  await tx.execute(sql`select pg_notify(${CHANNELS.requests}, 'import')`);
  return row;
};

const notFound = (id: string): Error => codedError('NOT_FOUND', 'IMPORT_NOT_FOUND', { import_id: id });

/** Throws IMPORT_NOT_FOUND. */
export const getImport = async (db: Db, id: string): Promise<ListedImport> => {
  const [row] = await db.select(listed).from(imports).where(eq(imports.id, id));
  if (row === undefined) throw notFound(id);
  return row;
};

/** What was not imported: the first lines, or all that were kept. */
export const readImportReport = async (db: Db, id: string, scope: 'first' | 'all'): Promise<Import['report']> => {
  const path = `$[0 to ${MAX_SHOWN_IMPORT_LINES - 1}]`;
  const report = scope === 'all' ? sql`${imports.report}` : sql`jsonb_path_query_array(${imports.report}, ${path}::jsonpath)`;
  const [row] = await db
    .select({ report: report.mapWith(imports.report) })
    .from(imports)
    .where(eq(imports.id, id));
  if (row === undefined) throw notFound(id);
  return row.report;
};

interface ImportOrder {
  readonly sort: ImportSortField;
  readonly order: SortOrder;
}

const SORT_KEYS = {
  created_at: { by: imports.createdAt, type: 'timestamptz' },
  id: { by: imports.id, type: 'uuid' },
  kind: { by: imports.kind, type: 'text' },
  name: { by: imports.source, type: 'text' },
  state: { by: imports.state, type: 'text' },
  is_dry_run: { by: imports.isDryRun, type: 'boolean' },
  path: { by: imports.path, type: 'text', mayBeMissing: true },
  filename: { by: imports.filename, type: 'text', mayBeMissing: true },
  phase: { by: imports.phase, type: 'text', mayBeMissing: true },
  done: { by: imports.documentsDone, type: 'integer' },
  total: { by: imports.documentsTotal, type: 'integer', mayBeMissing: true },
  error: { by: imports.error, type: 'text', mayBeMissing: true },
  error_code: { by: imports.errorCode, type: 'text', mayBeMissing: true },
  can_start: {
    by: sql`((${imports.path} is not null or ${imports.filename} is not null)
      and (${imports.state} = 'failed' or (${imports.state} = 'completed' and ${imports.isDryRun})))`,
    type: 'boolean',
  },
  started_at: { by: sql`case when ${imports.state} <> 'queued' then ${imports.startedAt} end`, type: 'timestamptz', mayBeMissing: true },
  finished_at: { by: imports.finishedAt, type: 'timestamptz', mayBeMissing: true },
} as const satisfies Record<ImportSortField, unknown>;

const keysetOf = ({ sort, order }: ImportOrder) => makeKeyset(order, [SORT_KEYS[sort], { by: imports.id, type: 'uuid' }]);

/** One page of the imports, and how many there are. */
export const listImports = async (
  db: Db,
  { page, perPage, ...order }: ImportOrder & PageRequest,
): Promise<{ readonly rows: readonly ListedImport[]; readonly total: number }> => ({
  rows: await db
    .select(listed)
    .from(imports)
    .orderBy(keysetOf(order).order)
    .limit(perPage)
    .offset((page - 1) * perPage),
  total: await db.$count(imports),
});

/** The same behind a position. */
export const listImportsAfter = async (db: Db, { after, limit, ...order }: ImportOrder & CutRequest): Promise<Cut<ListedImport>> => {
  const keyset = keysetOf(order);
  const found = await db
    .select({ row: listed, position: keyset.position })
    .from(imports)
    .where(keyset.behind(after))
    .orderBy(keyset.order)
    .limit(limit + 1);
  return toCut(found, limit, ({ row }) => row);
};

/** Ends an import that waits or runs; what it has imported stays. Throws IMPORT_NOT_FOUND, and IMPORT_ENDED where it has. */
export const cancelImport = async (tx: Db, id: string): Promise<ListedImport> => {
  const [row] = await tx
    .update(imports)
    .set({ state: 'cancelled', phase: null, leaseUntil: null, finishedAt: sql`now()`, fence: sql`fence + 1` })
    .where(and(eq(imports.id, id), inArray(imports.state, ['queued', 'running'])))
    .returning(listed);
  if (row === undefined) throw codedError('DUPLICATE_RESOURCE', 'IMPORT_ENDED', { state: (await getImport(tx, id)).state });
  await recordEvent(tx, importEvent(row), null);
  return row;
};

/** Of these ids, those of imports whose files may be needed: they wait or run, or may be started again. */
export const findImportsWithFiles = async (db: Db, ids: readonly string[], since: Date): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: imports.id, state: imports.state, isDryRun: imports.isDryRun, finishedAt: imports.finishedAt })
    .from(imports)
    .where(inArray(imports.id, [...ids]));
  const needed = rows.filter(({ state, isDryRun, finishedAt }) => {
    if (state === 'queued' || state === 'running') return true;
    return finishedAt !== null && finishedAt > since && (state === 'failed' || (state === 'completed' && isDryRun));
  });
  return new Set(needed.map(({ id }) => id));
};

/** Forgets the imports that ended before then; what they have imported is known as before. */
export const deleteImportsBefore = async (db: Db, before: Date): Promise<void> => {
  await db.delete(imports).where(lt(imports.finishedAt, before));
};
