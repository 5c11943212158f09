import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '@sheaf/config';
import { EXIT } from '@sheaf/contract';
import { type Database, openDatabase } from '@sheaf/db';
import { FatalError, makeLogger } from '@sheaf/runtime';
import { exitCodeOf, reasonOf } from './failure.ts';
import { openDatabaseForTool } from './open-database.ts';
import { requireSchema } from './require-schema.ts';
import { DATABASE_CHECKS, makeFileChecks } from './verify/checks.ts';
import { openFileCheckDeps } from './verify/file-check-deps.ts';
import { runChecks, type VerifyOutput, type VerifyResult } from './verify/run-checks.ts';

const USAGE = `usage: sheaf verify [--repair] [--fast]

  Compares the search index and its statistics with the documents, reads every stored file again and compares it with its hash,
  and looks for previews, pages and thumbnails that are damaged and files that belong to nothing. Prints a line for each
  difference: the check, the document's id or what else it is about, and what is wrong. May be run while the service runs.

  --repair   mend what differs: files from another storage, from what was set aside, or from a backup in BACKUP_PATH, if the
             hash of the copy is right; previews and pages by reading the document again
  --fast     compare only whether stored files are there and how long they are; those that are known to be damaged are read

  Exit codes: 0 no difference, or all mended; 1 differences are left, or it failed; 2 wrong usage; 78 configuration error.
`;

interface Wishes {
  readonly isRepair: boolean;
  readonly isFast: boolean;
  readonly isHelp: boolean;
}

/** Reads the command line; undefined when it is not one of ours. */
const parse = (argv: readonly string[]): Wishes | undefined => {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { repair: { type: 'boolean' }, fast: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    return { isRepair: values.repair === true, isFast: values.fast === true, isHelp: values.help === true };
  } catch {
    return undefined; // an unknown flag, or an argument where none belongs
  }
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
const runAll = async (config: Config, { db }: Database, { isRepair, isFast }: Wishes): Promise<VerifyResult> => {
  await using deps = await openFileCheckDeps(config, db, isFast);
  const health = await deps.storage.check();
  if (health.status === 'unhealthy') throw new FatalError(health.message ?? `the storage ${deps.storage.place} is not available`);
  return await runChecks(db, [...DATABASE_CHECKS, ...makeFileChecks(deps)], isRepair, makeOutput());
};

const verify = async (wishes: Wishes): Promise<VerifyResult> => {
  const { config } = loadConfig();
  await using place = await openDatabaseForTool(config);
  const database = openDatabase(
    { ...config.database, url: place.url, maxConnections: 2, minConnections: 0, applicationName: 'sheaf verify' },
    makeLogger({ ...config.log, level: 'warn' }, 'cli'),
  );
  try {
    await requireSchema(database);
    return await runAll(config, database, wishes);
  } finally {
    await database.close();
  }
};

const summary = ({ found, repaired }: VerifyResult): string =>
  found === 0 ? 'verified: no differences' : `verified: ${found} ${found === 1 ? 'difference' : 'differences'}, ${repaired} repaired`;

const parsed = parse(process.argv.slice(2));
if (parsed === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
} else if (parsed.isHelp) {
  process.stdout.write(USAGE);
} else {
  try {
    const result = await verify(parsed);
    console.log(summary(result));
    process.exitCode = result.found === result.repaired ? EXIT.done : EXIT.failed;
  } catch (error) {
    process.stderr.write(`sheaf verify: ${reasonOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
