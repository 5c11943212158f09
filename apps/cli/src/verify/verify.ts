import type { Config } from '@sheaf/config';
import { type Database, openDatabase } from '@sheaf/db';
import { FatalError, makeLogger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { openDatabaseForTool } from '../open-database.ts';
import { requireSchema } from '../require-schema.ts';
import type { VerifyOptions } from './arguments.ts';
import { DATABASE_CHECKS, makeFileChecks } from './checks.ts';
import { openFileCheckDeps } from './file-check-deps.ts';
import { runChecks, type VerifyOutput, type VerifyResult } from './run-checks.ts';

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

const compare = async (options: VerifyOptions, config: Config): Promise<VerifyResult> => {
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

/** Compares, prints the summary and answers the exit code. */
export const verify = async (options: VerifyOptions, config: Config): Promise<number> => {
  const result = await compare(options, config);
  console.log(summary(result));
  return result.found === result.repaired ? EXIT.done : EXIT.failed;
};
