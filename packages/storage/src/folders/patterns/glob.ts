import picomatch from 'picomatch';
import { toAutomata } from './automaton.ts';
import { countWays } from './backtracking.ts';
import { matchBackwards } from './match-backwards.ts';
import { parseRegExp } from './regexp-syntax.ts';

export interface Glob {
  readonly matches: (path: string) => boolean;
  /** What bounds the work for one unit of a path; undefined where nothing does. */
  readonly states: number | undefined;
  /** The automaton's word. */
  readonly follow?: (path: string) => boolean;
  /** How much work a path is for the automaton. */
  readonly countSteps?: (path: string) => number;
}

/** Far more than any pattern needs that a person writes. */
const MAX_STATES = 20_000;

/** As long as a path of Linux. */
const LONG_PATH_UNITS = 4_096;
/** `*.{pdf,txt}` has 32 ways for each unit: so few are tried in no time, and by far the most patterns are such. */
const MAX_WAYS = 64 * LONG_PATH_UNITS;

/**
 * A pattern as picomatch understands it: `*.pdf` is meant for files in every folder, `invoices/**` for whole paths; `.*` is a
 * pattern of its own, not an exception of `*`. Its regular expressions may take as long as they want to say no: those that may are
 * followed by an automaton instead, which says the same in bounded time. Only what none can follow is left to picomatch as it is.
 */
export const compileGlob = (text: string): Glob => {
  const pattern = shortenLastBackslashes(text);
  const isOfName = !pattern.includes('/');
  const options = { basename: isOfName, dot: true, nocase: true };
  const { source, flags } = picomatch.makeRe(pattern, options);
  const term = parseRegExp(source);
  const automata = term && toAutomata(term, flags, MAX_STATES);
  if (term === undefined || automata === undefined) return { matches: picomatch(pattern, options), states: undefined };
  const match = (path: string) => matchBackwards(automata, isOfName ? nameOf(path) : path);
  const follow = (path: string) => path !== '' && (path === pattern || match(path).isMatch);
  return {
    matches: countWays(term, LONG_PATH_UNITS) <= MAX_WAYS ? picomatch(pattern, options) : follow,
    states: automata.states,
    follow,
    countSteps: (path) => match(path).steps,
  };
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/', path.length - 2) + 1).replace(/\/$/, '');

/**
 * picomatch 4.0.7 reads beyond the end of a pattern that ends with four or more backslashes, and never comes back. It takes such a run
 * for a shorter one elsewhere, so this one is shortened to two or three.
 */
const shortenLastBackslashes = (pattern: string): string => {
  let start = pattern.length;
  while (pattern[start - 1] === '\\') start -= 1;
  const length = pattern.length - start;
  return length < 4 ? pattern : pattern.slice(0, start + 2 + (length % 2));
};
