import { loadForCommand } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './facts/arguments.ts';

process.exitCode = await runTool({
  name: 'sheaf facts',
  parse: parseArguments,
  run: async (options) => (await import('./facts/facts.ts')).facts(options, loadForCommand().config),
});
