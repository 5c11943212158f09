import { type RawValue, type RawValues, VARIABLES, type VariableName } from '@sheaf/config';

type Entry = readonly [name: VariableName, type: string];

const MASK = '***';

/** An address may carry a password of its own. */
const withoutPassword = (text: string): string => text.replaceAll(/(\/\/[^/\s:@]*:)[^/\s@]+@/g, `$1${MASK}@`);

/** One line, whatever is in it. */
const oneLine = (text: string): string => (/[\n\r\t]/.test(text) ? JSON.stringify(text) : text);

const valueOf = (type: string, given: RawValue | undefined): string =>
  given === undefined ? '(not set)' : type === 'secret' ? MASK : oneLine(withoutPassword(given.text));

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
export const showConfig = (raw: RawValues): string => listing(([name, type]) => `${name}=${valueOf(type, raw[name])}`);

/** The same with two spaces and, in brackets, where the value comes from. */
export const showSources = (raw: RawValues): string =>
  listing(([name, type]) => `${name}=${valueOf(type, raw[name])}  [${originOf(raw[name])}]`);
