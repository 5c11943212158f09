import { loadForCommand } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './verify/arguments.ts';

process.exitCode = await runTool({
  name: 'sheaf verify',
  parse: parseArguments,
  run: async (options) => (await import('./verify/verify.ts')).verify(options, loadForCommand().config),
});
