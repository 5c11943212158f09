import { type ParsedFlags, parseFlags } from '@sheaf/config';

export const USAGE = `usage: sheaf --show-config | --config-sources | --config-test | --config-file FILE --validate  [--VARIABLE VALUE]...

  --show-config     print all variables with their values; secrets as ***
  --config-sources  print all variables with the source of each value
  --config-test     check the configuration and print all errors
  --validate        check the file given with --config-file
  --config-file     configuration file (service.yml)
  --VARIABLE        any configuration variable, such as --server-port 9000

  Nothing is started or changed. The same options work after "sheaf start" and "npm start --".
  Exit codes: 0 valid; 2 usage error; 78 configuration error.
`;

const REPORTS = { 'show-config': 'show', 'config-sources': 'sources', 'config-test': 'test', validate: 'test' } as const;
const NAMES = Object.keys(REPORTS) as (keyof typeof REPORTS)[];
const SWITCH = { type: 'boolean' } as const;
/** Of `start`, after which a report may be asked for: they say nothing about the configuration. */
const OF_START = { scale: { type: 'string' }, procfile: { type: 'string' } } as const;

export type ReportCommand =
  | { readonly kind: 'show' | 'sources' | 'test'; readonly flags: ParsedFlags['values'] }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const parseArguments = (argv: readonly string[]): ReportCommand => {
  const own = { help: SWITCH, ...OF_START, ...Object.fromEntries(NAMES.map((name) => [name, SWITCH])) };
  const flags = parseFlags(argv, own);
  if (!flags.ok) return { kind: 'wrong', message: flags.message };
  if (flags.own.has('help')) return { kind: 'help' };
  const [stray] = flags.positionals;
  if (stray !== undefined) return { kind: 'wrong', message: `unexpected argument "${stray}"` };
  const [name, second] = NAMES.filter((report) => flags.own.has(report));
  if (name === undefined) return { kind: 'wrong', message: 'a report option is required' };
  if (second !== undefined) return { kind: 'wrong', message: `--${name} and --${second} cannot be combined` };
  if (name === 'validate' && flags.values.CONFIG_FILE === undefined)
    return { kind: 'wrong', message: '--validate requires --config-file FILE' };
  return { kind: REPORTS[name], flags: flags.values };
};
