import { loadConfig } from '@sheaf/config';
import { runTool } from './command-line.ts';
import { parseArguments } from './migrate-to-s3/arguments.ts';
import { explainFailure } from './migrate-to-s3/judge-failure.ts';
import { migrate } from './migrate-to-s3/migrate.ts';

process.exitCode = await runTool({
  name: 'migrate_to_s3',
  parse: parseArguments,
  run: (options) => migrate(options, loadConfig().config),
  explain: explainFailure,
});
