import picomatch from 'picomatch';
import { parseRegExp, type Term } from './regexp-syntax.ts';

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

/**
 * In how many ways a text of that many units can be parted over a term, at most: a regular expression that tries one after the
 * other tries no more. Infinity for what is not worth a closer look.
 */
export const countWays = (term: Term, units: number): number => {
  switch (term.kind) {
    case 'unit':
    case 'start':
    case 'end':
      return 1;
    case 'look':
      return countWays(term.body, units);
    case 'sequence':
      return term.terms.reduce((ways, part) => ways * countWays(part, units), 1);
    case 'either':
      return term.options.reduce((ways, option) => ways + countWays(option, units), 0);
    case 'repeat':
      return countRepeats(term, units);
  }
};

const countRepeats = ({ term, min, max }: Extract<Term, { kind: 'repeat' }>, units: number): number => {
  const once = countWays(term, units);
  if (once === 1) return Math.min(max - min, units) + 1;
  return max === Number.POSITIVE_INFINITY ? max : (max - min + 1) * once ** max;
};

/** Whether a whole text matches, and how many ways between states were looked at for it. */
interface Verdict {
  readonly isMatch: boolean;
  readonly steps: number;
}

/**
 * Reads the text from its end, and keeps for each place the states from which the rest matches. Each state counts once a place, so
 * the work is bounded by the product of both lengths; and what a look ahead needs to know of a place is known when it is reached.
 */
const matchBackwards = ({ all }: Automata, text: string): Verdict => {
  const runs = all.map((automaton) => new Run(automaton));
  const whole = runs.at(-1);
  let steps = 0;
  for (let at = text.length; at >= 0; at -= 1) {
    for (const run of runs) steps += run.readTo({ at, text, isEnd: run !== whole || at === text.length, runs });
    if (whole?.isLost === true) return { isMatch: false, steps };
  }
  return { isMatch: whole?.isAtStart === true, steps };
};

interface Place {
  readonly at: number;
  readonly text: string;
  /** Whether a match may end here. */
  readonly isEnd: boolean;
  readonly runs: readonly Run[];
}

class Run {
  readonly #automaton: Automaton;
  /** By state: the last place at which it was reached. */
  readonly #reachedAt: Int32Array;
  #at = -1;
  #states: number[] = [];

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.#reachedAt = new Int32Array(automaton.arrivals.length).fill(-1);
  }

  get isAtStart(): boolean {
    return this.#reachedAt[this.#automaton.start] === this.#at;
  }

  get isLost(): boolean {
    return this.#states.length === 0;
  }

  /** Goes to the place before the one that was read last; answers the steps it took. */
  readTo(place: Place): number {
    const after = this.#states;
    this.#states = [];
    this.#at = place.at;
    if (place.isEnd) this.#reach(0);
    return this.#read(place.text.charAt(place.at), after) + this.#spread(place);
  }

  #read(unit: string, after: readonly number[]): number {
    let steps = 0;
    for (const state of after)
      for (const { from, accepts } of this.#automaton.arrivals[state]?.reading ?? []) {
        steps += 1;
        if (accepts(unit)) this.#reach(from);
      }
    return steps;
  }

  #spread(place: Place): number {
    let steps = 0;
    for (const state of this.#states) // grows meanwhile
      for (const { from, guard } of this.#automaton.arrivals[state]?.free ?? []) {
        steps += 1;
        if (isOpen(guard, place)) this.#reach(from);
      }
    return steps;
  }

  #reach(state: number): void {
    if (this.#reachedAt[state] === this.#at) return;
    this.#reachedAt[state] = this.#at;
    this.#states.push(state);
  }
}

const isOpen = (guard: Guard, { at, text, runs }: Place): boolean => {
  if (guard === 'always') return true;
  if (guard === 'start') return at === 0;
  if (guard === 'end') return at === text.length;
  return runs[guard.look]?.isAtStart !== guard.isNegative;
};

/** When a way that reads nothing is open. */
type Guard = 'always' | 'start' | 'end' | { readonly look: number; readonly isNegative: boolean };

/** All ways that lead to one state. */
interface Arrivals {
  readonly free: { readonly from: number; readonly guard: Guard }[];
  readonly reading: { readonly from: number; readonly accepts: (unit: string) => boolean }[];
}

/** The end is state 0. */
interface Automaton {
  readonly start: number;
  /** By state. */
  readonly arrivals: readonly Arrivals[];
}

/** What a term becomes: an automaton for each look ahead, after those that it looks at itself, and the one of the whole at the end. */
interface Automata {
  readonly all: readonly Automaton[];
  readonly states: number;
}

/** Undefined where the term takes more than `maxStates`. */
const toAutomata = (term: Term, flags: string, maxStates: number): Automata | undefined => {
  const shop: AutomatonBuilder = { all: [], flags, maxStates, states: 0, tests: new Map() };
  try {
    shop.all.push(new Builder(shop).build(term));
    return { all: shop.all, states: shop.states };
  } catch (error) {
    if (error instanceof TooMany) return undefined;
    throw error;
  }
};

class TooMany extends Error {
  override readonly name = 'TooMany';
}

interface AutomatonBuilder {
  readonly all: Automaton[];
  readonly flags: string;
  readonly maxStates: number;
  states: number;
  readonly tests: Map<string, (unit: string) => boolean>;
}

/** Each kind of unit is asked of the regular expression engine itself, once for each unit that comes. */
const makeTest = (source: string, flags: string): ((unit: string) => boolean) => {
  const regExp = new RegExp(`^(?:${source})$`, flags);
  const known = new Map<string, boolean>();
  return (unit) => {
    const answer = known.get(unit) ?? regExp.test(unit);
    known.set(unit, answer);
    return answer;
  };
};

/** Builds from the end to the start: every method answers the state from which the term leads to `to`. */
class Builder {
  readonly #shop: AutomatonBuilder;
  readonly #arrivals: Arrivals[] = [];

  constructor(shop: AutomatonBuilder) {
    this.#shop = shop;
  }

  build(term: Term): Automaton {
    const start = this.#lead(term, this.#state());
    return { start, arrivals: this.#arrivals };
  }

  #lead(term: Term, to: number): number {
    switch (term.kind) {
      case 'unit':
        return this.#reading(term.source, to);
      case 'start':
      case 'end':
        return this.#free([to], term.kind);
      case 'look':
        return this.#free([to], this.#look(term.body, term.isNegative));
      case 'sequence':
        return term.terms.reduceRight((after, part) => this.#lead(part, after), to);
      case 'either':
        return this.#free(term.options.map((option) => this.#lead(option, to)));
      case 'repeat':
        return this.#repeat(term.term, term, to);
    }
  }

  #repeat(term: Term, { min, max }: { readonly min: number; readonly max: number }, to: number): number {
    let from = max === Number.POSITIVE_INFINITY ? this.#loop(term, to) : to;
    if (max !== Number.POSITIVE_INFINITY) for (let n = min; n < max; n += 1) from = this.#free([this.#lead(term, from), to]);
    for (let n = 0; n < min; n += 1) from = this.#lead(term, from);
    return from;
  }

  #loop(term: Term, to: number): number {
    const loop = this.#free([to]);
    this.#open(loop, this.#lead(term, loop));
    return loop;
  }

  #look(body: Term, isNegative: boolean): Guard {
    const look = new Builder(this.#shop).build(body);
    return { look: this.#shop.all.push(look) - 1, isNegative };
  }

  #state(): number {
    this.#shop.states += 1;
    if (this.#shop.states > this.#shop.maxStates) throw new TooMany();
    return this.#arrivals.push({ free: [], reading: [] }) - 1;
  }

  #reading(source: string, to: number): number {
    const { tests, flags } = this.#shop;
    const accepts = tests.get(source) ?? makeTest(source, flags);
    tests.set(source, accepts);
    const from = this.#state();
    this.#arrivals[to]?.reading.push({ from, accepts });
    return from;
  }

  #free(tos: readonly number[], guard: Guard = 'always'): number {
    const from = this.#state();
    for (const to of tos) this.#open(from, to, guard);
    return from;
  }

  #open(from: number, to: number, guard: Guard = 'always'): void {
    this.#arrivals[to]?.free.push({ from, guard });
  }
}

export interface PatternSettings {
  readonly patterns: readonly string[];
  readonly ignorePatterns: readonly string[];
}

export interface NamePatterns {
  /** The ignore pattern that a path matches, if any. */
  readonly findIgnoring: (path: string) => string | undefined;
  /** Whether a path matches one of the patterns of files to take. */
  readonly isWanted: (path: string) => boolean;
}

/** The patterns of a folder, over paths below its root. */
export const makeNamePatterns = ({ patterns, ignorePatterns }: PatternSettings): NamePatterns => {
  const wanted = patterns.map(compileGlob);
  const ignoring = ignorePatterns.map((pattern) => ({ pattern, matches: compileGlob(pattern).matches }));
  return {
    findIgnoring: (path) => ignoring.find(({ matches }) => matches(path))?.pattern,
    isWanted: (path) => wanted.some(({ matches }) => matches(path)),
  };
};
