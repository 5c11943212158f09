import { ConfigError } from '@sheaf/config';
import { EXIT } from '@sheaf/contract';
import { exitCodeOf } from './failure.ts';
import { type MigrateOptions, parseArguments, USAGE, UsageError } from './migrate-to-s3/arguments.ts';
import { describeFailure } from './migrate-to-s3/judge-failure.ts';
import { migrate } from './migrate-to-s3/migrate.ts';

const parseOrExplain = (argv: readonly string[]): MigrateOptions | 'help' | undefined => {
  try {
    return parseArguments(argv);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`migrate_to_s3: ${error.message}\n\n${USAGE}`);
    return undefined;
  }
};

const parsed = parseOrExplain(process.argv.slice(2));
if (parsed === undefined) {
  process.exitCode = EXIT.usage;
} else if (parsed === 'help') {
  process.stdout.write(USAGE);
} else {
  try {
    process.exitCode = await migrate(parsed);
  } catch (error) {
    // A configuration has a line for each variable that is wrong.
    process.stderr.write(`migrate_to_s3: ${error instanceof ConfigError ? error.message : describeFailure(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
