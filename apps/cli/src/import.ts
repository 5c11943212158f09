import { loadForCommand } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './import/arguments.ts';

process.exitCode = await runTool({
  name: 'sheaf import',
  parse: parseArguments,
  run: async (options) => (await import('./import/run-import.ts')).runImport(options, loadForCommand().config),
});
