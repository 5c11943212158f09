import { type BackupReader, openBackup, type RestoreResult, restoreBackup } from '@sheaf/backup';
import { effectiveDifferences, type LoadedConfig, restoreSecrets } from '@sheaf/config';
import { makeLogger, systemClock } from '@sheaf/process';
import { openOneStorage } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { stopOnSignals } from '../backup/stop-on-signals.ts';
import { openDatabaseForTool } from '../open-database.ts';
import { openProgress } from '../progress/open-progress.ts';
import type { RestoreCommand } from './arguments.ts';
import { describeRest, summarise } from './summary.ts';

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
