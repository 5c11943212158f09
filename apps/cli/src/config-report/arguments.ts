import { type ParsedFlags, parseFlags } from '@sheaf/config';

export const USAGE = `usage: sheaf --show-config | --config-sources | --config-test | --config-file FILE --validate  [--VARIABLE VALUE]...

  --show-config     every variable with its value; secrets as ***
  --config-sources  the same, and where each value comes from
  --config-test     whether the service would start with this configuration, or all that is wrong with it
  --validate        the same for the file that --config-file names
  --config-file     file to read settings from (service.yml)
  --VARIABLE        every variable of the configuration, such as --server-port 9000

  Nothing is started and nothing is made. The same flags go after "sheaf start" and "npm start --".
  Exit codes: 0 valid; 2 wrong usage; 78 configuration error.
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
  if (name === undefined) return { kind: 'wrong', message: 'one of the reports has to be named' };
  if (second !== undefined) return { kind: 'wrong', message: `--${name} and --${second} are two reports; ask for one` };
  if (name === 'validate' && flags.values.CONFIG_FILE === undefined)
    return { kind: 'wrong', message: '--validate needs --config-file FILE' };
  return { kind: REPORTS[name], flags: flags.values };
};
