import { rm } from 'node:fs/promises';
import { findUserById } from '@sheaf/accounts/users';
import type { Config } from '@sheaf/config';
import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { requireRequester } from '@sheaf/db/requester';
import { type ImportProgress, reasonOf } from '@sheaf/imports';
import { getImport, type HeldImport, importFolder, type ListedImport } from '@sheaf/imports/runs';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { missingForImport, REQUESTED_IMPORT_KINDS, type RequestedImportKind } from '@sheaf/vocabulary/imports';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import { exitCodeOf } from '../failure.ts';
import { type LeftEntry, openSource, soleFolderIn, unpackArchive } from './open-source.ts';
import { importAll, openImportDatabase } from './run-import.ts';

/** Kinds whose folder may lie in another one in the archive: nothing depends on its name. */
const MAY_BE_WRAPPED: ReadonlySet<string> = new Set(['docspell', 'papra']);

const SILENT: ImportProgress = { begin: () => {}, reach: () => {}, left: () => {} };

interface ImportPlace {
  readonly path: string;
  /** Entries of the archive that could not be unpacked. */
  readonly left: readonly LeftEntry[];
}

/** Where the export lies: on the server, or what was uploaded, unpacked where the kind is no archive itself. */
const placeOf = async ({ id, kind, path }: ListedImport, base: string): Promise<ImportPlace> => {
  if (path !== null) return { path, left: [] };
  const { upload, unpacked } = importFolder(base, id);
  if (kind === 'paperless') return { path: upload, left: [] };
  const left = await unpackArchive(upload, unpacked);
  return { path: MAY_BE_WRAPPED.has(kind) ? await soleFolderIn(unpacked) : unpacked, left };
};

const kindOf = ({ kind }: ListedImport): RequestedImportKind => {
  const known = REQUESTED_IMPORT_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`imports of the kind ${kind} cannot be asked for`);
  return known;
};

/** Who requested the import, with the permissions of now. Throws FORBIDDEN where they do not suffice any more. */
const requireImporter = async (db: Db, roles: ConfiguredRoles, row: ListedImport): Promise<Principal> => {
  const requester = await requireRequester(db, roles, row);
  const missing = missingForImport(requester.permissions);
  if (missing !== undefined) throw reasonedError('FORBIDDEN', 'requester_permission_lost', { permission: missing });
  return requester;
};

const importRequested = async (held: HeldImport, config: Config): Promise<void> => {
  await using scope = new AsyncDisposableStack();
  const opened = await openImportDatabase(config, scope);
  const { db } = opened.database;
  const row = await getImport(db, held.id);
  const base = config.storage.importPath;
  const folder = importFolder(base, row.id);
  const owner = row.ownerId === null ? undefined : await findUserById(db, row.ownerId);
  const findRequester = (): Promise<Principal> => requireImporter(db, config.signIn.roles, row);
  const requireAllowed = async (): Promise<void> => void (await findRequester());
  await importAll(
    {
      open: async () =>
        openSource(
          {
            kind: kindOf(row),
            ...(await placeOf(row, base)),
            passphraseFile: row.hasPassphrase ? folder.passphrase : undefined,
            pattern: row.pattern ?? undefined,
          },
          config,
        ),
      name: row.source,
      isDryRun: row.isDryRun,
      people: { owner: owner?.username, findRequester },
      progress: SILENT,
      held: { ...held, requireAllowed, uploadPath: folder.path },
      // what is under way is not waited for: nothing is lost by a process that ends anywhere
      onLost: () => process.exit(EXIT.failed),
    },
    config,
    opened,
  );
  if (!row.isDryRun) await rm(folder.path, { recursive: true, force: true });
};

/** Does the import that a process of the service holds, and answers the exit code. What becomes of it is in the database. */
export const runRequested = async (held: HeldImport, config: Config): Promise<number> => {
  try {
    await importRequested(held, config);
    return EXIT.done;
  } catch (error) {
    process.stderr.write(`sheaf import: ${reasonOf(error)}\n`);
    return exitCodeOf(error);
  }
};
