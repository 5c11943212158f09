import { EXIT } from '@sheaf/contract';
import { exitCodeOf, reasonOf } from './failure.ts';
import { parseArguments, USAGE } from './restore/arguments.ts';
import { restore } from './restore/restore.ts';

const command = parseArguments(process.argv.slice(2));
if (command === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
} else if (command === 'help') {
  process.stdout.write(USAGE);
} else {
  try {
    process.exitCode = await restore(command);
  } catch (error) {
    process.stderr.write(`sheaf restore: ${reasonOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
