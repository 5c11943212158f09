import { loadConfig } from '@sheaf/config';
import { type BackupCommand, parseArguments } from './backup/arguments.ts';
import { list } from './backup/list.ts';
import { make } from './backup/make.ts';
import { verify } from './backup/verify.ts';
import { runTool } from './command-line.ts';

const run = (command: BackupCommand): Promise<number> => {
  switch (command.verb) {
    case 'make':
      return make(command, loadConfig());
    case 'list':
      return list(command.folder ?? loadConfig().config.storage.backupPath);
    case 'verify':
      return verify(command, loadConfig().config);
  }
};

process.exitCode = await runTool({ name: 'sheaf backup', parse: parseArguments, run });
