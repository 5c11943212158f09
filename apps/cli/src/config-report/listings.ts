import { type RawValue, type RawValues, VARIABLES, type VariableName } from '@sheaf/config';

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
  const entries = Object.entries(VARIABLES) as [VariableName, (typeof VARIABLES)[VariableName]][];
  const grouped = Map.groupBy(entries, ([, { section }]) => section);
  return new Map([...grouped].map(([section, rows]) => [section, rows.map(([name, { type }]) => [name, type] as const)]));
};

const listing = (line: (entry: Entry) => string): string =>
  [...sections()].map(([section, entries]) => `# ${section}\n${entries.map((entry) => `${line(entry)}\n`).join('')}`).join('\n');

/** `NAME=value` for every variable, under the headings of the documentation. */
export const showConfig = (what: Shown): string => listing((entry) => `${entry[0]}=${valueOf(entry, what)}`);

/** The same with two spaces and, in brackets, where the value comes from. */
export const showSources = (what: Shown): string =>
  listing((entry) => `${entry[0]}=${valueOf(entry, what)}  [${originOf(what.raw[entry[0]])}]`);
