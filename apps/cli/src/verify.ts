import { type Config, loadConfig } from '@sheaf/config';
import { type Database, openDatabase } from '@sheaf/db';
import { FatalError, makeLogger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { makeCommand, runTool } from './command-line.ts';
import { openDatabaseForTool } from './open-database.ts';
import { requireSchema } from './require-schema.ts';
import { DATABASE_CHECKS, makeFileChecks } from './verify/checks.ts';
import { openFileCheckDeps } from './verify/file-check-deps.ts';
import { runChecks, type VerifyOutput, type VerifyResult } from './verify/run-checks.ts';

interface VerifyOptions {
  readonly isRepair: boolean;
  readonly isFast: boolean;
}

const makeVerifyCommand = () =>
  makeCommand('sheaf verify')
    .description(
      'Compares the search index and its statistics with the documents, compares every stored file with its hash, and finds damaged previews, pages and thumbnails and files that no document refers to. Prints a line for each difference: the check, the id of the document or the object, and what is wrong. The service may run meanwhile.',
    )
    .option(
      '--repair',
      'repair differences: files from another storage, from quarantine, or from a backup in BACKUP_PATH if the hash of the copy is correct; previews and pages by processing the document again',
    )
    .option('--fast', 'check only that stored files exist and have the right size; files known to be damaged are still read')
    .addHelpText(
      'after',
      '\nExit codes: 0 no differences, or all repaired; 1 differences are left, or it failed; 2 usage error; 78 configuration error.',
    );

const parse = (argv: readonly string[]): VerifyOptions => {
  const { repair, fast } = makeVerifyCommand().parse(argv, { from: 'user' }).opts<{ repair?: true; fast?: true }>();
  return { isRepair: repair === true, isFast: fast === true };
};

/** Findings to stdout; a counter to stderr for a person, and to nobody else. */
const makeOutput = (): VerifyOutput => {
  const clear = (): unknown => process.stderr.isTTY && process.stderr.write('\r\u001b[K');
  return {
    line: (text) => {
      clear();
      console.log(text);
    },
    progress: (check, done, total) => {
      const rest = total === undefined ? '' : ` of ${total}${done >= total ? '\n' : ''}`;
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${check}: ${done}${rest}`);
    },
  };
};

/** The index first, as it is done in a moment; the files take as long as it takes to read them. */
const runAll = async (config: Config, { db }: Database, { isRepair, isFast }: VerifyOptions): Promise<VerifyResult> => {
  await using deps = await openFileCheckDeps(config, db, isFast);
  const health = await deps.storage.check();
  if (health.status === 'unhealthy') throw new FatalError(health.message ?? `the storage ${deps.storage.place} is not available`);
  return await runChecks(db, [...DATABASE_CHECKS, ...makeFileChecks(deps)], isRepair, makeOutput());
};

const verify = async (options: VerifyOptions): Promise<VerifyResult> => {
  const { config } = loadConfig();
  await using place = await openDatabaseForTool(config);
  const database = openDatabase(
    { ...config.database, url: place.url, maxConnections: 2, minConnections: 0, applicationName: 'sheaf verify' },
    makeLogger({ ...config.log, level: 'warn' }, 'cli'),
  );
  try {
    await requireSchema(database);
    return await runAll(config, database, options);
  } finally {
    await database.close();
  }
};

const summary = ({ found, repaired }: VerifyResult): string =>
  found === 0 ? 'verified: no differences' : `verified: ${found} ${found === 1 ? 'difference' : 'differences'}, ${repaired} repaired`;

const verifyAndSummarise = async (options: VerifyOptions): Promise<number> => {
  const result = await verify(options);
  console.log(summary(result));
  return result.found === result.repaired ? EXIT.done : EXIT.failed;
};

process.exitCode = await runTool({ name: 'sheaf verify', parse, run: verifyAndSummarise });
