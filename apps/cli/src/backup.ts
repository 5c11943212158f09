import { type BackupCommand, parseArguments } from './backup/arguments.ts';
import { list } from './backup/list.ts';
import { make } from './backup/make.ts';
import { verify } from './backup/verify.ts';
import { runTool } from './command-line.ts';

const run = (command: BackupCommand): Promise<number> => {
  switch (command.verb) {
    case 'make':
      return make(command);
    case 'list':
      return list(command);
    case 'verify':
      return verify(command);
  }
};

process.exitCode = await runTool({ name: 'sheaf backup', parse: parseArguments, run });
