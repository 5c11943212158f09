import { parseArgs } from 'node:util';
import { editDistance } from '@sheaf/contract';
import { ALIASES, type NamedValues } from './parse.ts';
import { VARIABLES } from './variables.ts';

/** How the value of a variable, by its own or an old name, is given on the command line: `--server-port`. */
export const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/** Options of a program beside the variables, as `parseArgs` of node:util takes them. */
export type OwnOptions = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean; readonly short?: string }>
>;

export interface ParsedFlags {
  readonly ok: true;
  /** The values of variables, by the names that were used. */
  readonly values: NamedValues;
  /** The flags of variables as they may be handed on to another program. */
  readonly handOn: readonly string[];
  /** The options of the program itself. A boolean is the text `true`. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

export type FlagsResult = ParsedFlags | { readonly ok: false; readonly message: string };

const NAMES = new Map([...Object.keys(VARIABLES), ...Object.keys(ALIASES)].map((name) => [flagOf(name).slice(2), name]));

/** Belongs to one process each: handed on, it would make them all the same one. */
const NOT_HANDED_ON = 'PROCESS_INSTANCE';

const unknownFlag = (rawName: string, own: OwnOptions): string =>
  `unknown option ${rawName}${didYouMean(
    rawName,
    [...Object.keys(own), ...NAMES.keys()].map((name) => `--${name}`),
  )}`;

/**
 * Reads flags: one for each variable (`--server-port 9000`, `--server-port=9000`; the last one counts), and those in `own`. Anything
 * else is wrong usage, told in words for the person at the command line.
 */
export const parseFlags = (argv: readonly string[], own: OwnOptions = {}): FlagsResult => {
  const options = { ...Object.fromEntries([...NAMES.keys()].map((name) => [name, { type: 'string' as const }])), ...own };
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const values: Record<string, NamedValues[string]> = {};
  const found = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) return { ok: false, message: unknownFlag(token.rawName, own) };
    if (option.type === 'boolean' && token.value !== undefined) return { ok: false, message: `${token.rawName} takes no value` };
    if (option.type === 'string' && (token.value === undefined || (!token.inlineValue && /^--?[A-Za-z]/.test(token.value))))
      return { ok: false, message: `${token.rawName} requires a value: ${token.rawName}=VALUE` };
    const name = Object.hasOwn(own, token.name) ? undefined : NAMES.get(token.name);
    const text = token.value ?? 'true';
    if (name === undefined) found.set(token.name, [...(found.get(token.name) ?? []), text]);
    else values[name] = { text, origin: 'command line', given: flagOf(name) };
  }
  const handOn = Object.entries(values).flatMap(([name, { text }]) => (name === NOT_HANDED_ON ? [] : [`${flagOf(name)}=${text}`]));
  return { ok: true, values, handOn, own: found, positionals };
};

const LONGEST = 100;

/** The one of `known` that is most like `name`, or undefined where none is like it. */
const findNearest = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > LONGEST) return undefined;
  const limit = Math.max(1, Math.floor(name.length / 3));
  const found = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return found[0]?.candidate;
};

/** `; did you mean "x"?` for the end of a message, or nothing. */
export const didYouMean = (name: string, known: readonly string[]): string => {
  const nearest = findNearest(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
};
