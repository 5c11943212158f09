import { loadForCommand } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './export/arguments.ts';

process.exitCode = await runTool({
  name: 'sheaf export',
  parse: parseArguments,
  run: async (options) => (await import('./export/paperless.ts')).exportPaperless(options, loadForCommand().config),
});
