import type { Automata, Automaton, Guard } from './automaton.ts';

/** Whether a whole text matches, and how many ways between states were looked at for it. */
export interface Verdict {
  readonly isMatch: boolean;
  readonly steps: number;
}

/**
 * Reads the text from its end, and keeps for each place the states from which the rest matches. Each state counts once a place, so
 * the work is bounded by the product of both lengths; and what a look ahead needs to know of a place is known when it is reached.
 */
export const matchBackwards = ({ all }: Automata, text: string): Verdict => {
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
