// The reports of the configuration: `sheaf --show-config` and its like, and the same flags after `sheaf start`.
import { checkConfig, derivedValues, describeIssue, processOptions } from '@sheaf/config';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { parseArguments, type ReportCommand, USAGE } from './config-report/arguments.ts';
import { showConfig, showSources } from './config-report/listings.ts';

/** Prints what is wished for and returns the exit code. Makes nothing on disk and asks nobody over the network. */
const report = ({ kind, flags }: Extract<ReportCommand, { kind: 'show' | 'sources' | 'test' }>): number => {
  const checked = checkConfig({ ...processOptions(), flags });
  for (const notice of checked.notices) process.stderr.write(`note: ${notice}\n`);
  const shown = { raw: checked.raw, derived: derivedValues(checked.values, checked.raw) };
  if (kind === 'show') process.stdout.write(showConfig(shown));
  if (kind === 'sources') process.stdout.write(showSources(shown));
  for (const issue of checked.issues) process.stderr.write(`configuration: ${describeIssue(issue)}\n`);
  if (checked.issues.length > 0) return EXIT.configuration;
  if (kind === 'test') process.stdout.write('configuration is valid\n');
  return EXIT.done;
};

const command = parseArguments(process.argv.slice(2));
if (command.kind === 'wrong') {
  process.stderr.write(`sheaf: ${command.message}\n\n${USAGE}`);
  process.exitCode = EXIT.usage;
} else if (command.kind === 'help') {
  process.stdout.write(USAGE);
} else {
  process.exitCode = report(command);
}
