import { type ComponentHealth, joinHealth, unhealthy } from '@sheaf/contract/operations';
import { backoffMs, type Component, type Logger, Loop } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

export interface CrashReporterSettings {
  /** What crashes repeatedly now. */
  readonly findings: () => readonly ComponentHealth[];
  /** Passes the report on; called at each round, also when nothing changed. */
  readonly report: (health: ComponentHealth) => void;
  readonly everyMs: number;
  readonly log: Logger;
}

/** How often the processes are told which of them crash: as often as they write their heartbeat. */
export const REPORT_EVERY_MS = 5_000;

/** Reports to the processes that run which others crash repeatedly: one that crashes cannot do it. `nudge` it after a crash. */
export const makeCrashReporter = ({ findings, report, everyMs, log }: CrashReporterSettings): Component & { nudge(): void } => {
  const loop = new Loop({
    name: 'report-crashes',
    intervalMs: everyMs,
    log,
    run: async () => {
      report(joinHealth(...findings()));
    },
  });
  return { name: loop.name, start: () => loop.start(), stop: () => loop.stop(), nudge: () => loop.nudge() };
};

/** How a process ended: by itself with a code, or by a signal. */
export interface Ending {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Why the supervisor ended it, where it did. */
  readonly cause?: string;
}

export interface RestartLimits {
  /** From so many crashes in a row on a process is reported as unhealthy. */
  readonly repeatedCrashes: number;
  /** A process that has been ready for so long runs well: the crashes before it count no more. */
  readonly steadyMs: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
}

/** With these delays a process that exits at once is reported after two seconds and started once a minute in the long run. */
export const RESTART_LIMITS: RestartLimits = { repeatedCrashes: 3, steadyMs: 120_000, backoff: { baseMs: 500, maxMs: 60_000 } };

/** Exit codes that mean that the service must not run as it is configured. */
const FINAL: readonly number[] = [EXIT.configuration, EXIT.replicaRuns];

export const describeEnding = ({ code, signal, cause }: Ending): string => {
  const how = signal === undefined ? `exit code ${code ?? '?'}` : signal;
  return cause === undefined ? how : `${how} ${cause}`;
};

/** The exit code with which the whole service ends after this one; undefined where the process is started again. */
export const findStop = ({ code }: Ending): number | undefined => (code !== undefined && FINAL.includes(code) ? code : undefined);

/** Counts the crashes of one process: decides when it is started again, for ever, and what is reported of it. */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #random: () => number;
  /** In a row: the process did not run well in between. */
  #crashes = 0;
  #readyAt: Date | undefined;
  #lastEnding: Ending | undefined;
  #nextStart: Date | undefined;

  constructor(limits: RestartLimits = RESTART_LIMITS, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  /** The process does its work from now on. */
  becameReady(now: Date): void {
    this.#readyAt = now;
    this.#nextStart = undefined;
  }

  /** Milliseconds until the next start. */
  afterCrash(ending: Ending, now: Date): number {
    this.#crashes = this.crashes(now) + 1;
    this.#readyAt = undefined;
    this.#lastEnding = ending;
    const delayMs = Math.round(backoffMs(this.#crashes, this.#limits.backoff, this.#random));
    this.#nextStart = new Date(now.getTime() + delayMs);
    return delayMs;
  }

  /** How often it crashed in a row; 0 as soon as it runs well. */
  crashes(now: Date): number {
    const isSteady = this.#readyAt !== undefined && now.getTime() - this.#readyAt.getTime() >= this.#limits.steadyMs;
    return isSteady ? 0 : this.#crashes;
  }

  isCrashingRepeatedly(now: Date): boolean {
    return this.crashes(now) >= this.#limits.repeatedCrashes;
  }

  /** What is reported of `name` while it crashes repeatedly, else undefined. */
  crashHealth(name: string, now: Date): ComponentHealth | undefined {
    if (!this.isCrashingRepeatedly(now)) return undefined;
    const { code, signal, cause } = this.#lastEnding ?? {};
    return unhealthy('process_crashing', {
      process: name,
      crashes: this.#crashes,
      exit_code: code ?? '?',
      signal,
      unresponsive: cause !== undefined,
      ...this.#nextStep(now),
    });
  }

  /** How it ended last. */
  get lastEnding(): string | undefined {
    return this.#lastEnding && describeEnding(this.#lastEnding);
  }

  /** Whether it runs, and since or from when. */
  #nextStep(now: Date): { readonly state: 'running' | 'starting' | 'waiting'; readonly state_at: string } {
    if (this.#readyAt !== undefined) return { state: 'running', state_at: this.#readyAt.toISOString() };
    if (this.#nextStart === undefined || this.#nextStart <= now) return { state: 'starting', state_at: now.toISOString() };
    return { state: 'waiting', state_at: this.#nextStart.toISOString() };
  }
}
