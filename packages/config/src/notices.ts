import { editDistance } from '@sheaf/contract';
import { ALIASES, RENAMED } from './aliases.ts';
import type { NamedValues, RawValue, RawValues } from './layers.ts';
import { VARIABLES } from './variables.ts';

/** How a person gave a value, for messages: `OCR_WORKERS`, `ocr.workers (service.yml:3)`, `--ocr-workers`. */
const describeGiven = (name: string, { given, place }: RawValue): string => {
  const written = given ?? name;
  return place === undefined ? written : `${written} (${place})`;
};

const oldNameNotice = (alias: string, value: RawValue, winner: RawValue | undefined): string => {
  const kind = RENAMED.includes(alias) ? 'the former name' : 'an alias';
  const what = `${describeGiven(alias, value)} is ${kind} of ${ALIASES[alias]}`;
  if (winner === undefined || winner.alias === alias) return `${what}; use the new name`;
  const counts =
    winner.alias === undefined ? `${ALIASES[alias]} is also set and takes precedence` : `${winner.alias} is also set and takes precedence`;
  return `${what}; ${counts}`;
};

/** A line for each old name that was used in one place; `layer` is what the place came to. */
export const oldNameNotices = (named: NamedValues, layer: RawValues): string[] =>
  Object.entries(ALIASES).flatMap(([alias, name]) => {
    const value = named[alias];
    return value === undefined || value.text.trim() === '' ? [] : [oldNameNotice(alias, value, layer[name])];
  });

const KNOWN = [...Object.keys(VARIABLES), ...Object.keys(ALIASES)];
const SHORT = 5;

interface Name {
  readonly first: string;
  readonly rest: string;
}

const splitFirstWord = (name: string): Name => {
  const end = name.indexOf('_') + 1;
  return { first: name.slice(0, end), rest: name.slice(end) };
};

/** Mistakes that a first word of so many letters may have and still be told. */
const FIRST_WORD_MISTAKES = [
  { letters: 8, mistakes: 2 },
  { letters: 6, mistakes: 1 },
];

const hasSameLetters = (a: string, b: string): boolean => Array.from(a).toSorted().join('') === Array.from(b).toSorted().join('');

/**
 * A first word belongs to a program, and short ones are a letter apart that have nothing to do with each other: CPU and GPU,
 * SAML and YAML, BATCH and PATCH. So only the letters of a short one may be in another order.
 */
const isLikeFirstWord = (first: string, known: string): boolean => {
  const letters = known.length - 1;
  const limit = FIRST_WORD_MISTAKES.find((row) => letters >= row.letters)?.mistakes;
  const distance = editDistance(first, known);
  return limit === undefined ? distance === 1 && hasSameLetters(first, known) : distance <= limit;
};

/** How many mistakes make `given` of `known`, or undefined where it is another name: one of the two parts has to be right. */
const mistakesOf = (given: Name, known: Name): number | undefined => {
  if (given.first === known.first) {
    const mistakes = editDistance(given.rest, known.rest);
    return mistakes <= (known.rest.length < SHORT ? 1 : 2) ? mistakes : undefined;
  }
  return given.rest === known.rest && isLikeFirstWord(given.first, known.first) ? editDistance(given.first, known.first) : undefined;
};

/** The variable that was probably meant by a name of the environment. */
const meantBy = (name: string): string | undefined => {
  const given = splitFirstWord(name);
  if (given.first === '' || given.rest === '') return undefined;
  return KNOWN.flatMap((known) => {
    const mistakes = mistakesOf(given, splitFirstWord(known));
    return mistakes === undefined ? [] : [{ known, mistakes }];
  }).toSorted((a, b) => a.mistakes - b.mistakes)[0]?.known;
};

const LONGEST = 64;

/** A line for each name of the environment that is none of ours and very like one. */
export const misspellingNotices = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => name.length <= LONGEST && /^[A-Z0-9]+_[A-Z0-9_]+$/.test(name) && !KNOWN.includes(name))
    .flatMap((name) => {
      const meant = meantBy(name);
      return meant === undefined ? [] : [`unknown environment variable ${name}; did you mean ${meant}?`];
    });

/** A line for each secret on the command line, where every user of the machine can read it. */
export const visibleSecretNotices = (flags: NamedValues): string[] =>
  Object.entries(flags).flatMap(([name, { given, text }]) => {
    const variable = Object.entries(VARIABLES).find(([known]) => known === (ALIASES[name] ?? name))?.[1];
    return variable?.type === 'secret' && text !== ''
      ? [`${given ?? name} on the command line is visible to every user of this machine; set it in the environment or in service.yml`]
      : [];
  });
