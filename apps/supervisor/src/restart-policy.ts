import { EXIT } from '@sheaf/contract';
import { backoffMs } from '@sheaf/runtime';

/** How a process ended: by itself with a code, or by a signal. */
export interface Ending {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

export type Verdict =
  | { readonly kind: 'restart'; readonly delayMs: number }
  | { readonly kind: 'give_up'; readonly exitCode: number; readonly reason: string };

export interface RestartLimits {
  /** This many deaths within `windowMs` are too many. */
  readonly deaths: number;
  readonly windowMs: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
}

/** Six deaths within two minutes: with these pauses a process that dies at once is given up after about ten seconds. */
export const RESTART_LIMITS: RestartLimits = { deaths: 6, windowMs: 120_000, backoff: { baseMs: 500, maxMs: 15_000 } };

/** Exit codes that a restart does not change. */
const FINAL: Readonly<Record<number, string>> = {
  [EXIT.configuration]: 'a configuration error',
  [EXIT.replicaRuns]: 'another one runs on this database',
};

export const describeEnding = ({ code, signal }: Ending): string => (signal === undefined ? `exit code ${code ?? '?'}` : signal);

/** Decides after each death of one process whether and when it is started again. */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #random: () => number;
  #deaths: number[] = [];

  constructor(limits: RestartLimits = RESTART_LIMITS, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  afterDeath(ending: Ending, now: Date): Verdict {
    const final = ending.code === undefined ? undefined : FINAL[ending.code];
    if (ending.code !== undefined && final !== undefined)
      return { kind: 'give_up', exitCode: ending.code, reason: `exit code ${ending.code}, ${final}; its own message stands above` };

    const { deaths, windowMs, backoff } = this.#limits;
    this.#deaths = [...this.#deaths.filter((at) => at > now.getTime() - windowMs), now.getTime()];
    if (this.#deaths.length >= deaths) {
      const reason = `${this.#deaths.length} deaths within ${Math.round(windowMs / 1_000)} seconds, the last by ${describeEnding(ending)}`;
      return { kind: 'give_up', exitCode: EXIT.failed, reason };
    }
    return { kind: 'restart', delayMs: Math.round(backoffMs(this.#deaths.length, backoff, this.#random)) };
  }
}
