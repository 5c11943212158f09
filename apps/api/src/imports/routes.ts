import { access, type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { recordAudit } from '@sheaf/accounts/users';
import { codedError, invalidInput, makeIssue, reasonedError } from '@sheaf/contract';
import {
  type ImportBody,
  importBody,
  importDetailsBody,
  importForm,
  importListQuery,
  importOrder,
  type NotImportedBody,
} from '@sheaf/contract/imports';
import { requesterOf } from '@sheaf/db/requester';
import {
  cancelImport,
  getImport,
  type ImportFolder,
  importFolder,
  type ListedImport,
  listImports,
  listImportsAfter,
  readImportReport,
  requestImport,
} from '@sheaf/imports/runs';
import { uuidv7 } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { withStorageErrors } from '@sheaf/storage';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import { idParams, parseInput, withoutEmpty } from '../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route, streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import {
  findEarlierOwner,
  findOwner,
  type ImportOptions,
  type ImportServices,
  requireAdministrator,
  requireFittingOptions,
  requireImportPath,
  requireMayImport,
} from './import-runner.ts';

type Caller = { readonly principal: Principal; readonly context: RequestContext };
type Request = Parameters<typeof requestImport>[1];

/** Writes down what was asked for, and who did. */
const record = ({ database }: ImportServices, { principal, context: { address } }: Caller, request: Request): Promise<ListedImport> =>
  database.db.transaction(async (tx) => {
    const row = await requestImport(tx, request);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'import.requested',
      outcome: 'success',
      subject: { type: 'import', id: row.id },
      details: { kind: row.kind, name: row.source, is_dry_run: row.isDryRun, path: row.path, filename: row.filename },
    });
    return row;
  });

/** Asks for the import of what lies at `place`. Throws VALIDATION_ERROR for options that do not fit; what it has stored then goes. */
const request = async (
  services: ImportServices,
  caller: Caller,
  options: ImportOptions,
  place: { readonly id: string; readonly path: string | null; readonly filename: string | null },
): Promise<ListedImport> => {
  const { importPath } = services.config.storage;
  const { kind, name = kind, dry_run: isDryRun, passphrase, pattern = null } = options;
  try {
    requireFittingOptions(options);
    const ownerId = await findOwner(services, options, caller.principal);
    if (passphrase !== undefined) await keepPassphrase(importPath, place.id, passphrase);
    const hasPassphrase = passphrase !== undefined;
    const people = { ownerId, ...requesterOf(caller.principal) };
    return await record(services, caller, { ...place, ...people, kind, source: name, isDryRun, pattern, hasPassphrase });
  } catch (error) {
    await rm(importFolder(importPath, place.id).path, { recursive: true, force: true });
    throw error;
  }
};

const create = (services: ImportServices): Route =>
  streamRoute({
    method: 'post',
    path: '/api/imports',
    access: 'users.update',
    requires: requireMayImport,
    countsAs: 'upload',
    summary: 'Import the archive of another system',
    description:
      'Imports an uploaded ZIP file (a form), or a folder or file of the server (JSON), which must be inside IMPORT_ROOTS. It runs in the background, one at a time: GET /api/imports/{id} and the event `import_progress` tell how far it is. An interrupted import is continued. What was imported before is not imported again. An import writes documents, labels, custom fields and accounts, so this requires `users.update`, `documents.read`, `documents.create`, `documents.update`, `labels.read`, `labels.create`, `labels.update` and `settings.update`, each for all rows. It runs with the permissions that its requester, and the API key of the request, have at that time, and ends with `error_code` when the key is deleted, the user is disabled or a permission is lost. Accounts get no role with more permissions than the requester has: administrators become administrators only in an import that somebody with `*` requests without an API key. The archive of Readur can be imported with `bin/sheaf import` only.',
    content: {
      form: importForm.extend({ file: z.file() }),
      answers: [{ status: 202, description: 'The import, which waits for its turn', schema: importBody }],
    },
    body: importOrder,
    errors: { INCOMPLETE_FILE: 'VALIDATION_ERROR' },
    stream: async ({ principal, body, context }, { request: incoming, response }) => {
      const { imports, storage } = services.config;
      const caller = { principal, context };
      const id = uuidv7();
      const order = body as z.infer<typeof importOrder> | undefined; // a form has none
      if (order !== undefined) {
        const { path, ...options } = order;
        const place = { id, path: await requireImportPath(path, imports.roots), filename: null };
        response.status(202).json(importBody.parse(toImportBody(await request(services, caller, options, place))));
        return;
      }
      const row = await readUploadForm(incoming, { maxFileBytes: imports.maxUploadBytes }, async ({ filename, body: file }, late) => {
        await receiveArchive(file, { base: storage.importPath, id, maxBytes: imports.maxUploadBytes, signal: context.signal });
        try {
          const options = parseInput(importForm, withoutEmpty(await late()), 'body');
          return await request(services, caller, options, { id, path: null, filename: filename.slice(0, 255) });
        } catch (error) {
          await rm(importFolder(storage.importPath, id).path, { recursive: true, force: true });
          throw error;
        }
      });
      response.status(202).json(importBody.parse(toImportBody(row)));
    },
  });

const list = ({ database, cursors }: ImportServices): Route =>
  listRoute({
    cursors,
    path: '/api/imports',
    access: 'users.update',
    requires: requireAdministrator,
    summary: 'List imports of the archives of other systems, newest first',
    description: 'Includes those of the command line, except its dry runs.',
    query: importListQuery,
    name: 'data',
    item: importBody,
    page: async ({ query: { page, per_page: perPage, ...order } }) => {
      const { rows, total } = await listImports(database.db, { page, perPage, ...order });
      return { rows: rows.map(toImportBody), total };
    },
    cut: async ({ query }, part) => {
      const { rows, next } = await listImportsAfter(database.db, { ...query, ...part });
      return { rows: rows.map(toImportBody), next };
    },
  });

const read = ({ database }: ImportServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/imports/{id}',
    access: 'users.update',
    requires: requireAdministrator,
    summary: 'Get an import, its progress and what was not imported',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: importDetailsBody,
    handle: async ({ params: { id } }) => {
      const row = await getImport(database.db, id);
      const report = await readImportReport(database.db, id, 'first');
      return { ...toImportBody(row), not_imported: report as readonly NotImportedBody[] as NotImportedBody[] };
    },
  });

const COLUMNS = ['kind', 'name', 'document', 'reason'] as const;

const report = ({ database }: ImportServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/imports/{id}/report',
    access: 'users.update',
    requires: requireAdministrator,
    summary: 'Download what an import did not import, or not as it was, and why',
    description: 'A cell that a spreadsheet would take for a formula begins with an apostrophe.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND' },
    content: { answers: [{ status: 200, description: 'One line for each, in UTF-8 with a header line', contentTypes: ['text/csv'] }] },
    params: idParams,
    stream: async ({ params: { id }, context }, { response }) => {
      const lines = (await readImportReport(database.db, id, 'all')) as readonly NotImportedBody[];
      response.status(200).type('text/csv; charset=utf-8');
      response.setHeader('Content-Disposition', 'attachment; filename="import-report.csv"');
      // names are strangers' words, and a spreadsheet runs what begins like a formula
      const csv = stringify({ header: true, columns: [...COLUMNS], bom: true, escape_formulas: true });
      const records = lines.map((line) => COLUMNS.map((column) => line[column]));
      await pipeline(Readable.from(records), csv, response, { signal: context.signal });
    },
  });

const start = (services: ImportServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/imports/{id}/start',
    access: 'users.update',
    requires: requireMayImport,
    summary: 'Import what a dry run has looked at, or what failed, with the same options',
    description: 'Makes another import. An uploaded file is kept for a day after a dry run or a failure, and can be imported once.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND', IMPORT_FILE_GONE: 'DUPLICATE_RESOURCE', IMPORT_ENDED: 'DUPLICATE_RESOURCE' },
    params: idParams,
    status: 202,
    response: importBody,
    handle: async ({ params: { id }, principal, context }) => {
      const { imports, storage } = services.config;
      const earlier = await getImport(services.database.db, id);
      if (!canStart(earlier)) throw codedError('DUPLICATE_RESOURCE', 'IMPORT_ENDED', { state: earlier.state });
      const { kind, source, path, filename, pattern, hasPassphrase, ownerId } = earlier;
      const people = { ownerId: await findEarlierOwner(services, ownerId, principal), ...requesterOf(principal) };
      if (path !== null) await requireImportPath(path, imports.roots);
      const next = uuidv7();
      const [from, to] = [importFolder(storage.importPath, id), importFolder(storage.importPath, next)];
      const needsFiles = filename !== null || hasPassphrase;
      const needed = filename === null ? from.passphrase : from.upload;
      if (
        needsFiles &&
        !(await access(needed).then(
          () => true,
          () => false,
        ))
      )
        throw codedError('DUPLICATE_RESOURCE', 'IMPORT_FILE_GONE', {});
      if (needsFiles) await rename(from.path, to.path);
      try {
        const request = { id: next, kind: kind as Request['kind'], source, path, filename, pattern, hasPassphrase };
        return toImportBody(await record(services, { principal, context }, { ...request, ...people, isDryRun: false }));
      } catch (error) {
        if (needsFiles) await rename(to.path, from.path);
        throw error;
      }
    },
  });

const cancel = ({ database }: ImportServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/imports/{id}/cancel',
    access: 'users.update',
    requires: requireAdministrator,
    summary: 'Cancel an import that waits or runs',
    description: 'What it has imported so far stays.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND', IMPORT_ENDED: 'DUPLICATE_RESOURCE' },
    params: idParams,
    response: importBody,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      return database.db.transaction(async (tx) => {
        const row = await cancelImport(tx, id);
        await recordAudit(tx, {
          actor: principal,
          address,
          action: 'import.cancelled',
          outcome: 'success',
          subject: { type: 'import', id },
          details: { kind: row.kind, name: row.source },
        });
        return toImportBody(row);
      });
    },
  });

export const importRoutes = (services: ImportServices): readonly Route[] => [
  list(services),
  create(services),
  read(services),
  report(services),
  start(services),
  cancel(services),
];

/** Whether it can be started once more with the same source, this time for good. */
const canStart = ({ state, isDryRun, path, filename }: ListedImport): boolean =>
  (path !== null || filename !== null) && (state === 'failed' || (state === 'completed' && isDryRun));

const toImportBody = (row: ListedImport): ImportBody => ({
  id: row.id,
  kind: row.kind as ImportBody['kind'],
  name: row.source,
  state: row.state,
  is_dry_run: row.isDryRun,
  path: row.path,
  filename: row.filename,
  phase: row.phase,
  done: row.documentsDone,
  total: row.documentsTotal,
  // nothing is counted before the end
  counts: 'documents' in row.counts ? (row.counts as NonNullable<ImportBody['counts']>) : null,
  error: row.error,
  error_code: row.errorCode,
  can_start: canStart(row),
  created_at: row.createdAt.toISOString(),
  started_at: row.state === 'queued' ? null : row.startedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});

/** How ZIP files begin; empty ones begin with their end. */
const SIGNATURE = Buffer.from('504b', 'hex');
const MODE = 0o600;

const notZip = () => {
  const issue = makeIssue('file', 'zip_file_needed');
  return invalidInput('body', [issue]);
};

/** Writes `body`, which stays open when it is refused: the parser of the form goes on with what is behind it. */
const writeBody = async (body: Readable, handle: FileHandle, maxBytes: number, signal: AbortSignal): Promise<void> => {
  let bytes = 0;
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      signal.throwIfAborted();
      const chunk = piece as Buffer;
      if (bytes === 0 && !chunk.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw notZip();
      bytes += chunk.length;
      if (bytes > maxBytes) throw reasonedError('VALIDATION_ERROR', 'too_large', { max_bytes: maxBytes });
      await handle.writeFile(chunk);
    }
  } catch (error) {
    throw body.errored === null || body.errored === undefined ? error : codedError('VALIDATION_ERROR', 'INCOMPLETE_FILE', {}, error);
  }
  if (bytes === 0) throw notZip();
};

interface ArchivePlace {
  /** Of all imports. */
  readonly base: string;
  /** Of this one. */
  readonly id: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The folder of an import, made. */
const makeImportFolder = async (base: string, id: string): Promise<ImportFolder> => {
  const folder = importFolder(base, id);
  await withStorageErrors(folder.path, () => makeFolder(folder.path));
  return folder;
};

/**
 * Stores an uploaded ZIP file in the folder of an import; what is refused or incomplete is removed. Throws VALIDATION_ERROR for a file
 * that is too large or no ZIP file, and SERVICE_UNAVAILABLE where it cannot be stored.
 */
const receiveArchive = async (body: Readable, { base, id, maxBytes, signal }: ArchivePlace): Promise<void> => {
  const folder = await makeImportFolder(base, id);
  try {
    await withStorageErrors(folder.upload, async () => {
      await using handle = await open(folder.upload, 'wx', MODE);
      await writeBody(body, handle, maxBytes, signal);
      await handle.sync();
    });
  } catch (error) {
    await rm(folder.path, { recursive: true, force: true });
    throw error;
  }
};

/** Keeps the passphrase of an export for as long as its import needs it. */
const keepPassphrase = async (base: string, id: string, passphrase: string): Promise<void> => {
  const folder = await makeImportFolder(base, id);
  await withStorageErrors(folder.path, () => writeFile(folder.passphrase, passphrase, { mode: MODE }));
};
