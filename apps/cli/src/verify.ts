import { parseArgs } from 'node:util';
import { loadConfig } from '@sheaf/config';
import { EXIT, Secret } from '@sheaf/contract';
import { type Database, latestVersion, openDatabase, readSchemaVersion } from '@sheaf/db';
import { FatalError, makeLogger } from '@sheaf/runtime';
import { exitCodeOf, reasonOf } from './failure.ts';
import { openDatabaseForTool } from './open-database.ts';
import { CHECKS } from './verify/checks.ts';
import { runChecks, type VerifyOutput, type VerifyResult } from './verify/run-checks.ts';

const USAGE = `usage: sheaf verify [--repair]

  Compares the search index and its statistics with the documents, and prints a line for each difference:
  the check, the document's id or what else it is about, and what is wrong. May be run while the service runs.

  --repair   mend what differs

  Exit codes: 0 no difference, or all mended; 1 differences are left, or it failed; 2 wrong usage; 78 configuration error.
`;

/** Reads the command line; undefined when it is not one of ours. */
const parse = (argv: readonly string[]): { isRepair: boolean; isHelp: boolean } | undefined => {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { repair: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    return { isRepair: values.repair === true, isHelp: values.help === true };
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
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${check}: ${done} of ${total}${done >= total ? '\n' : ''}`);
    },
  };
};

const requireSchema = async ({ db }: Database): Promise<void> => {
  const [version, expected] = [await readSchemaVersion(db), await latestVersion()];
  if (version !== expected) throw new FatalError(`the database has schema version ${version}, not ${expected}: run bin/migrate up`);
};

const verify = async (isRepair: boolean): Promise<VerifyResult> => {
  const { config } = loadConfig();
  await using place = await openDatabaseForTool(config);
  const database = openDatabase(
    { ...config.database, url: new Secret(place.url), maxConnections: 2, minConnections: 0, applicationName: 'sheaf verify' },
    makeLogger({ ...config.log, level: 'warn' }, 'cli'),
  );
  try {
    await requireSchema(database);
    return await runChecks(database.db, CHECKS, isRepair, makeOutput());
  } finally {
    await database.close();
  }
};

const summary = ({ found, repaired }: VerifyResult): string =>
  found === 0 ? 'verified: no differences' : `verified: ${found} differences, ${repaired} repaired`;

const parsed = parse(process.argv.slice(2));
if (parsed === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
} else if (parsed.isHelp) {
  process.stdout.write(USAGE);
} else {
  try {
    const result = await verify(parsed.isRepair);
    console.log(summary(result));
    process.exitCode = result.found === result.repaired ? EXIT.done : EXIT.failed;
  } catch (error) {
    process.stderr.write(`sheaf verify: ${reasonOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
