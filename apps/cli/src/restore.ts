import { loadForCommand } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './restore/arguments.ts';

process.exitCode = await runTool({
  name: 'sheaf restore',
  parse: parseArguments,
  run: async (command) => (await import('./restore/restore.ts')).restore(command, loadForCommand()),
});
