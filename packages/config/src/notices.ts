import { ALIASES, RENAMED } from './aliases.ts';
import type { NamedValues, RawValue, RawValues } from './layers.ts';
import { editDistance } from './nearest.ts';
import { VARIABLES } from './variables.ts';

/** How a person gave a value, for messages: `OCR_WORKERS`, `ocr.workers (service.yml:3)`, `--ocr-workers`. */
const describeGiven = (name: string, { given, place }: RawValue): string => {
  const written = given ?? name;
  return place === undefined ? written : `${written} (${place})`;
};

const oldNameNotice = (alias: string, value: RawValue, winner: RawValue | undefined): string => {
  const kind = RENAMED.includes(alias) ? 'the old name' : 'another name';
  const what = `${describeGiven(alias, value)} is ${kind} of ${ALIASES[alias]}`;
  if (winner === undefined || winner.alias === alias) return `${what}; use that one`;
  const counts = winner.alias === undefined ? `${ALIASES[alias]} is set as well, and counts` : `${winner.alias} is set as well, and counts`;
  return `${what}; ${counts}`;
};

/** A line for each old name that was used in one place; `layer` is what the place came to. */
export const oldNameNotices = (named: NamedValues, layer: RawValues): string[] =>
  Object.entries(ALIASES).flatMap(([alias, name]) => {
    const value = named[alias];
    return value === undefined || value.text === '' ? [] : [oldNameNotice(alias, value, layer[name])];
  });

const KNOWN = [...Object.keys(VARIABLES), ...Object.keys(ALIASES)];
const SHORT = 5;

const splitPrefix = (name: string): { prefix: string; rest: string } => {
  const end = name.indexOf('_') + 1;
  return { prefix: name.slice(0, end), rest: name.slice(end) };
};

/** The variable that was probably meant by a name of the environment. Only the part behind the common first word is compared. */
const meantBy = (name: string): string | undefined => {
  const { prefix, rest } = splitPrefix(name);
  if (prefix === '' || rest === '') return undefined;
  return KNOWN.map((known) => ({ known, ...splitPrefix(known) }))
    .filter((known) => known.prefix === prefix)
    .map(({ known, rest: other }) => ({ known, distance: editDistance(rest, other), limit: other.length < SHORT ? 1 : 2 }))
    .filter(({ distance, limit }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)[0]?.known;
};

const LONGEST = 64;

/** A line for each name of the environment that is none of ours and very like one. */
export const misspellingNotices = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => name.length <= LONGEST && /^[A-Z0-9]+_[A-Z0-9_]+$/.test(name) && !KNOWN.includes(name))
    .flatMap((name) => {
      const meant = meantBy(name);
      return meant === undefined ? [] : [`${name} in the environment is no variable of this service; is ${meant} meant?`];
    });

/** A line for each secret on the command line, where every user of the machine can read it. */
export const visibleSecretNotices = (flags: NamedValues): string[] =>
  Object.entries(flags).flatMap(([name, { given, text }]) => {
    const variable = Object.entries(VARIABLES).find(([known]) => known === (ALIASES[name] ?? name))?.[1];
    return variable?.type === 'secret' && text !== ''
      ? [`${given ?? name} can be read by every user of this machine while the service runs; set it in the environment or in service.yml`]
      : [];
  });
