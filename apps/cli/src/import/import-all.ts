import type { Config } from '@sheaf/config';
import { type Db, openDatabase } from '@sheaf/db';
import { type ImportProgress, ImportSourceError, type ImportSummary, whilePreparing } from '@sheaf/imports';
import type { HeldImport } from '@sheaf/imports/runs';
import { makeLogger } from '@sheaf/process';
import { findDefaultOwner, findUserById } from '@sheaf/users';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { openDatabaseForTool } from '../open-database.ts';
import { requireSchema } from '../require-schema.ts';
import { openIngest } from './open-services.ts';
import type { ImportSource } from './open-source.ts';

/** One for each file that is written at the same time, and for what is asked meanwhile. */
const CONNECTIONS = 6;

/** For whom something is imported. */
export interface ImportPeople {
  /** Who gets documents without an owner; the first administrator where nobody is named. */
  readonly owner: string | undefined;
  /** The id of who has asked for it; the first administrator where nobody has. */
  readonly requestedBy?: string | undefined;
}

interface People {
  readonly by: Principal;
  readonly ownerId: string;
}

const findAdministrator = async (db: Db, id: string | undefined) => {
  const user = id === undefined ? undefined : await findUserById(db, id);
  return user?.role === 'admin' && user.disabledAt === null ? user : findDefaultOwner(db, undefined);
};

const findPeople = async (db: Db, { owner, requestedBy }: ImportPeople): Promise<People> => {
  const administrator = await findAdministrator(db, requestedBy);
  if (administrator === undefined) throw new ImportSourceError('There is no administrator yet: create the first account, then import.');
  const user = owner === undefined ? administrator : await findDefaultOwner(db, owner);
  if (user === undefined) throw new ImportSourceError(`There is no active user ${JSON.stringify(owner)}.`);
  const { id: userId, username, role } = administrator;
  return { by: { userId, username, role, permissions: ['*'], via: 'token' }, ownerId: user.id };
};

/** The database of this service, with the schema of this version; closed at the end of `scope`. */
export const openImportDatabase = async (config: Config, scope: AsyncDisposableStack) => {
  const place = scope.use(await openDatabaseForTool(config));
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  const database = openDatabase(
    { ...config.database, url: place.url, maxConnections: CONNECTIONS, minConnections: 0, applicationName: 'sheaf import' },
    log,
  );
  scope.defer(() => database.close());
  await requireSchema(database);
  return { database, log };
};

export interface ImportOptions {
  /** Opens what is imported; closed at the end. */
  readonly open: () => Promise<ImportSource>;
  /** What the other installation is called here. */
  readonly name: string;
  readonly isDryRun: boolean;
  readonly people: ImportPeople;
  readonly progress: ImportProgress;
  /** What was asked for in the interface. */
  readonly held?: HeldImport | undefined;
  readonly onLost?: (() => void) | undefined;
}

/** Imports what the options name, and answers what became of it. Throws an ImportSourceError where it cannot be imported. */
export const importAll = async (
  { open, name, isDryRun, people: wanted, progress, held, onLost = () => {} }: ImportOptions,
  config: Config,
  { database, log }: Awaited<ReturnType<typeof openImportDatabase>>,
): Promise<ImportSummary> => {
  await using scope = new AsyncDisposableStack();
  const prepare = async () => ({ people: await findPeople(database.db, wanted), source: scope.use(await open()) });
  const { people, source } = await (held === undefined ? prepare() : whilePreparing(database.db, held, onLost, prepare));
  const ingest = scope.use(await openIngest(config, database, log));
  const { maxFileBytes: maxBytes, allowedFileTypes } = config.ingest;
  const limits = { maxBytes, allowedExtensions: allowedFileTypes.elsewhere };
  // awaited here, or the storage would be closed meanwhile
  return await source.importInto({ ingest, ...people, roles: config.signIn.roles, source: name, limits, isDryRun, progress, held, onLost });
};
