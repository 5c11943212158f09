import { loadForCommand } from '@sheaf/config';
import { type BackupCommand, parseArguments } from './backup/arguments.ts';
import { runTool } from './command-line.ts';

const run = async (command: BackupCommand): Promise<number> => {
  switch (command.verb) {
    case 'make':
      return (await import('./backup/make.ts')).make(command, loadForCommand('backup'));
    case 'list':
      return (await import('./backup/list.ts')).list(command.folder ?? loadForCommand('backup').config.storage.backupPath);
    case 'verify':
      return (await import('./backup/verify.ts')).verify(command, loadForCommand('backup').config);
  }
};

process.exitCode = await runTool({ name: 'sheaf backup', parse: parseArguments, run });
