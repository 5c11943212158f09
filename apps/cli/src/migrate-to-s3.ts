import { loadForCommand } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './migrate-to-s3/arguments.ts';

process.exitCode = await runTool({
  name: 'migrate_to_s3',
  parse: parseArguments,
  run: async (options) => (await import('./migrate-to-s3/migrate.ts')).migrate(options, loadForCommand().config),
  explain: async (error) => (await import('./migrate-to-s3/judge-failure.ts')).explainFailure(error),
});
