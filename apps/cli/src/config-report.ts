// The reports of the configuration: `sheaf --show-config` and its like, and the same flags after `sheaf start`.
import {
  checkConfig,
  derivedValues,
  describeIssue,
  type ParsedFlags,
  parseFlags,
  processOptions,
  type RawValue,
  type RawValues,
  VARIABLES,
  type VariableName,
  variablesByUse,
} from '@sheaf/config';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

type Entry = readonly [name: VariableName, type: string];

interface Shown {
  readonly raw: RawValues;
  /** What counts of variables that nobody set. */
  readonly derived: Partial<Record<VariableName, string>>;
}

const MASK = '***';

/** An address may carry a password of its own. */
const withoutPassword = (text: string): string => text.replaceAll(/(\/\/[^/\s:@]*:)[^/\s@]+@/g, `$1${MASK}@`);

/** What is no secret of a secret address: where the server is, and as whom. Parameters may hold passwords too, so they are left out. */
const withoutSecrets = (text: string): string => {
  const url = /^\w+:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return MASK;
  const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${MASK}`}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
};

const isSecretUrl = (name: string, type: string): boolean => type === 'secret' && name.endsWith('_URL');

/** One line, whatever is in it. */
const oneLine = (text: string): string => (/[\n\r\t]/.test(text) ? JSON.stringify(text) : text);

const shown = (name: string, type: string, text: string): string => {
  if (isSecretUrl(name, type)) return withoutSecrets(text);
  return type === 'secret' ? MASK : oneLine(withoutPassword(text));
};

/** Such as `(generated)`: no secret, whichever the variable. */
const isNote = (text: string): boolean => text.startsWith('(');

/** What counts, whether somebody set it or not. */
const valueOf = ([name, type]: Entry, { raw, derived }: Shown): string => {
  const known = derived[name];
  if (known !== undefined && isNote(known)) return known;
  const text = known ?? raw[name]?.text;
  return text === undefined ? '(not set)' : shown(name, type, text);
};

/** Such as `default`, `service.yml:12`, `environment`, `command line`; with the old name where one was used. */
const originOf = (given: RawValue | undefined): string => {
  if (given === undefined) return 'default';
  const where = given.place ?? given.origin;
  return given.alias === undefined ? where : `${where} (as ${given.alias})`;
};

const sections = (): Map<string, Entry[]> => {
  const { everyday, bySection } = variablesByUse();
  const named: (readonly [string, readonly VariableName[]])[] = [['Everyday', everyday], ...bySection];
  return new Map(named.map(([section, names]) => [section, names.map((name) => [name, VARIABLES[name].type] as const)]));
};

const listing = (line: (entry: Entry) => string): string =>
  [...sections()].map(([section, entries]) => `# ${section}\n${entries.map((entry) => `${line(entry)}\n`).join('')}`).join('\n');

/** `NAME=value` for every variable, under the headings of the documentation. */
const showConfig = (what: Shown): string => listing((entry) => `${entry[0]}=${valueOf(entry, what)}`);

/** The same with two spaces and, in brackets, where the value comes from. */
const showSources = (what: Shown): string => listing((entry) => `${entry[0]}=${valueOf(entry, what)}  [${originOf(what.raw[entry[0]])}]`);

const USAGE = `usage: sheaf --show-config | --config-sources | --config-test | --config-file FILE --validate  [--VARIABLE VALUE]...

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

type ReportCommand =
  | { readonly kind: 'show' | 'sources' | 'test'; readonly flags: ParsedFlags['values'] }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

const parseArguments = (argv: readonly string[]): ReportCommand => {
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
