import { type BackupManifest, type BackupReader, openBackup, type RestoreResult, restoreBackup } from '@sheaf/backup';
import { effectiveDifferences, type LoadedConfig, type RestoredSecrets, restoreSecrets } from '@sheaf/config';
import { makeLogger, systemClock } from '@sheaf/process';
import { openOneStorage } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { stopOnSignals } from '../command-line.ts';
import { openDatabaseForTool } from '../open-database.ts';
import { formatBytes, formatCount, formatPace, openProgress } from '../progress/progress.ts';
import type { RestoreCommand } from './arguments.ts';

const restoreInto = async ({ config }: LoadedConfig, backup: BackupReader, { isForced }: RestoreCommand): Promise<RestoreResult> => {
  await using resources = new AsyncDisposableStack();
  const signal = stopOnSignals('restore_interrupted');
  const { url } = resources.use(await openDatabaseForTool(config));
  // A folder without documents may be a new one: what the rows of the database say now does not count.
  const storage = await openOneStorage(config.storage.type, config.storage, { hasLocalDocuments: async () => false });
  resources.defer(() => storage.close());
  const progress = openProgress();
  resources.defer(() => progress.close());
  const log = makeLogger({ ...config.log, level: 'error' }, 'cli');
  return await restoreBackup(
    backup,
    { databaseUrl: url, storage, log, signal, report: progress.report },
    { isForced, parallel: config.bulk.parallelUploads },
  );
};

/** Restores as the command line says and returns the exit code. */
export const restore = async (command: RestoreCommand, loaded: LoadedConfig): Promise<number> => {
  const startedAt = performance.now();
  await using backup = await openBackup(command.path);
  const result = await restoreInto(loaded, backup, command);
  // The rows are there, so the secrets belong to them now. Killed before this it is to be run again.
  const secrets = await restoreSecrets(await backup.configuration('secrets.json'), loaded.config.secretsFile, systemClock.now());
  process.stderr.write(summarise(backup.manifest, result, performance.now() - startedAt));
  const differences = effectiveDifferences(await backup.configuration('effective.json'), loaded.raw);
  process.stdout.write(describeRest({ manifest: backup.manifest, result, secrets, differences }));
  return EXIT.done;
};

const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What was done, in figures. */
const summarise = ({ files, previews }: BackupManifest, { files: tally, database }: RestoreResult, elapsedMs: number): string => {
  const bytes = files.bytes + previews.bytes;
  return toText([
    `files: ${formatCount(files.count + previews.count)} (${formatBytes(bytes)}): ${formatCount(tally.stored)} stored, ${formatCount(tally.present)} already present, ${formatCount(tally.replaced)} damaged ones replaced`,
    `database: ${database.tables} tables, ${formatCount(database.rows)} rows, ${formatBytes(database.bytes)}, each compared with the backup`,
    `done in ${formatPace(bytes + database.bytes, elapsedMs)}`,
  ]);
};

interface Restored {
  readonly manifest: BackupManifest;
  readonly result: RestoreResult;
  readonly secrets: RestoredSecrets;
  readonly differences: readonly string[];
}

const describeSecrets = ({ secrets, result }: Restored): string[] => {
  const { secondFactors, sourcePasswords } = result.database.sealed;
  if (secrets.kind === 'replaced') return [`secrets: restored from the backup; the previous ones are in ${secrets.keptPath}`];
  if (secrets.kind === 'unchanged' || secondFactors + sourcePasswords === 0) return [];
  return [
    `secrets: not in the backup. ${formatCount(secondFactors)} second factors and the passwords of ${formatCount(sourcePasswords)} sources require the original key: set APP_SECRET_KEY to the value of the backed-up service (its configuration, or app_secret_key in its secrets.json)`,
  ];
};

const describeMissing = ({ result }: Restored): string[] =>
  result.missing.flatMap(({ document_ids }) =>
    document_ids.map((id) => `document ${id}: its file was already missing when the backup was created; upload it again, or delete it`),
  );

const describeForeign = ({ result }: Restored): string[] =>
  result.database.foreignTables.map((name) => `unknown table ${name} of the backup skipped`);

const describeDifferences = ({ differences }: Restored): string[] =>
  differences.length === 0 ? [] : ['configuration differences to the backup:', ...differences.map((difference) => `  ${difference}`)];

/** What the person has to know and to do now. */
const describeRest = (restored: Restored): string =>
  toText([
    `restored: backup of ${restored.manifest.created_at}; all users must sign in again`,
    ...describeMissing(restored),
    ...describeForeign(restored),
    ...describeSecrets(restored),
    ...describeDifferences(restored),
    'next: start Sheaf and check /api/health; bin/sheaf verify verifies all files',
  ]);
