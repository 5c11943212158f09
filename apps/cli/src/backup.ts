import { EXIT } from '@sheaf/contract';
import { type BackupCommand, parseArguments, USAGE } from './backup/arguments.ts';
import { list } from './backup/list.ts';
import { make } from './backup/make.ts';
import { verify } from './backup/verify.ts';
import { exitCodeOf, reasonOf } from './failure.ts';

const run = (command: BackupCommand): Promise<number> | number => {
  switch (command.verb) {
    case 'make':
      return make(command);
    case 'list':
      return list(command);
    case 'verify':
      return verify(command);
    case 'help':
      process.stdout.write(USAGE);
      return EXIT.done;
  }
};

const command = parseArguments(process.argv.slice(2));
if (command === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
} else {
  try {
    process.exitCode = await run(command);
  } catch (error) {
    process.stderr.write(`sheaf backup: ${reasonOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
