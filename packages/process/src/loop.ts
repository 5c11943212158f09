import { type ComponentHealth, componentHealth, warning } from '@sheaf/contract/operations';
import { z } from 'zod';
import type { Live } from './live.ts';
import type { Logger } from './log.ts';
import { errorText } from './log-errors.ts';
import { backoffMs } from './wait.ts';

export interface LoopSettings {
  readonly name: string;
  readonly intervalMs: number;
  readonly log: Logger;
  /** A change of it is a nudge while the loop runs. */
  readonly nudgedBy?: Live<unknown>;
  /**
   * One round. Returns true when there is more to do at once, or after how many milliseconds there will be; nothing where the next one
   * comes in its time. Must end soon after `signal` is aborted.
   */
  run(signal: AbortSignal): Promise<boolean | number | void>;
}

/** Timers that are asked to wait longer do not wait at all. */
const LONGEST_PAUSE_MS = 2 ** 31 - 1;
const RETRY = { baseMs: 500, maxMs: 15_000 };

/**
 * Calls `run` again and again: at once while it says there is more, otherwise after `intervalMs` (or the time that it names) or a
 * nudge, whichever comes first. A round that throws is logged and tried again with growing pauses, so a loop outlives a lost database.
 */
export class Loop implements Component {
  readonly name: string;
  readonly #settings: LoopSettings;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #nudged = false;
  #soon: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastError = '';

  constructor(settings: LoopSettings) {
    this.name = settings.name;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    this.#unsubscribe ??= this.#settings.nudgedBy?.subscribe(() => this.nudge());
    this.#running ??= this.#loop();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#unsubscribe?.();
    clearTimeout(this.#soon);
    this.#wake?.();
    await this.#running;
  }

  /** Ends the present pause, or makes the next round follow the running one without a pause. */
  nudge(): void {
    this.#nudged = true;
    this.#wake?.();
  }

  /** The same in `ms`, once for all who say so until then: a round for many costs little more than one for each. */
  nudgeIn(ms: number): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.nudge();
    }, ms);
  }

  health(): ComponentHealth {
    return this.#failures < 3 ? { status: 'healthy' } : warning('loop_failing', { loop: this.name, error: this.#lastError });
  }

  async #loop(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      this.#nudged = false;
      const pauseMs = await this.#round(signal);
      if (!signal.aborted && !this.#nudged && pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  async #round(signal: AbortSignal): Promise<number> {
    try {
      const more = await this.#settings.run(signal);
      this.#failures = 0;
      if (typeof more === 'number') return more;
      return more === true ? 0 : this.#settings.intervalMs;
    } catch (error) {
      if (signal.aborted) return 0;
      this.#failures += 1;
      this.#lastError = errorText(error);
      const pauseMs = backoffMs(this.#failures, RETRY);
      this.#settings.log.warn(
        { err: error, loop: this.name, failures: this.#failures, pause_ms: Math.round(pauseMs) },
        'loop iteration failed',
      );
      return pauseMs;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_PAUSE_MS));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => {
      this.#wake = undefined;
    });
  }
}

/** The part by which a process tells that all of them together take more than MEMORY_LIMIT_MB. */
export const MEMORY_LIMIT = 'memory_limit';
/** The part by which a process reports those that crash repeatedly. */
export const CRASHED_PROCESSES = 'crashed_processes';

/** What a child tells its supervisor over the channel when all its components have started. */
export const supervisionMessage = z.object({
  type: z.literal('ready'),
  /** Where /health, /ready and /metrics of the child answer. */
  probe_host: z.string(),
  probe_port: z.int(),
  /** Lines for the person who starts the service, printed when everything is up. */
  notices: z.array(z.string()),
});
export type SupervisionMessage = z.infer<typeof supervisionMessage>;

/** What the supervisor tells its children over the channel: what only it can see. */
const supervisorWord = z.object({ type: z.enum(['memory', 'crashes']), health: componentHealth });
export type SupervisorWord = z.infer<typeof supervisorWord>;

/** Whether a supervisor started this process, which has told everything about the configuration already. */
export const isSupervised = (): boolean => process.send !== undefined;

/** Tells the supervisor, if there is one, that this process is ready. */
export const reportToSupervisor = (message: SupervisionMessage): void => {
  process.send?.(message);
};

const makeReport = (name: string, type: SupervisorWord['type']): Component => {
  let reported: ComponentHealth = { status: 'healthy' };
  const receive = (message: unknown): void => {
    const word = supervisorWord.safeParse(message);
    if (word.success && word.data.type === type) reported = word.data.health;
  };
  return {
    name,
    start: async () => void process.on('message', receive),
    stop: async () => void process.off('message', receive),
    health: () => reported,
  };
};

/**
 * What the supervisor reports of all processes as parts of this one, so that it reaches health and alerts with the rest; healthy
 * without a supervisor.
 */
export const makeSupervisorReports = (): Component[] => [makeReport(MEMORY_LIMIT, 'memory'), makeReport(CRASHED_PROCESSES, 'crashes')];

/** Whether a part says something of all processes, so that it says nothing of the one that has it. */
export const isSupervisorReport = (name: string): boolean => name === MEMORY_LIMIT || name === CRASHED_PROCESSES;

/**
 * A part of a process with a life of its own. `start` resolves when the part is ready, `stop` when it is drained;
 * both may be called twice. `health` says what is wrong at the moment, cheaply: probes call it.
 */
export interface Component {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  health?(): ComponentHealth;
}
