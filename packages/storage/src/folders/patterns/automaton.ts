import type { Term } from './regexp-syntax.ts';

/** When a way that reads nothing is open. */
export type Guard = 'always' | 'start' | 'end' | { readonly look: number; readonly isNegative: boolean };

/** All ways that lead to one state. */
export interface Arrivals {
  readonly free: { readonly from: number; readonly guard: Guard }[];
  readonly reading: { readonly from: number; readonly accepts: (unit: string) => boolean }[];
}

/** The end is state 0. */
export interface Automaton {
  readonly start: number;
  /** By state. */
  readonly arrivals: readonly Arrivals[];
}

/** What a term becomes: an automaton for each look ahead, after those that it looks at itself, and the one of the whole at the end. */
export interface Automata {
  readonly all: readonly Automaton[];
  readonly states: number;
}

/** Undefined where the term takes more than `maxStates`. */
export const toAutomata = (term: Term, flags: string, maxStates: number): Automata | undefined => {
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
