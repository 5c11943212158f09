import { isDeepStrictEqual } from 'node:util';
import { type ComponentHealth, foundProblems, makeProblem } from '@sheaf/contract/operations';
import { type Clock, type Component, FatalError, type Logger, type SupervisionMessage, type SupervisorWord, sleep } from '@sheaf/process';
import { residentBytes } from '@sheaf/process/machine';
import { type ChildProcessLife, type Reaper, startChildProcess } from './child-process.ts';
import type { ProcfileEntry } from './command-line.ts';
import { type LivenessLimits, untilSilent } from './liveness.ts';
import { describeEnding, type Ending, findStop, type RestartPolicy } from './restart-policy.ts';

/** `waiting`: between a death and the next start. */
type ChildState = 'stopped' | 'starting' | 'ready' | 'waiting';

export interface SupervisedChildSettings {
  readonly instance: Instance;
  /** Asked before each start: the address of the database is known late. */
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  readonly graceMs: number;
  readonly liveness: LivenessLimits;
  /** Where the child answers whether it lives. */
  readonly healthPath: string;
  readonly policy: RestartPolicy;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRestart: () => void;
  /** The child exited with a code that ends the service, after `start` had resolved. */
  readonly onFatal: (error: FatalError) => void;
}

/** The child ends itself by force at the limit and says so; ours comes just after. */
const AFTER_ITS_OWN_LIMIT_MS = 500;
const SLOW_START_MS = 15_000;
const STILL_SLOW_MS = 60_000;

/** Keeps one process alive: started, watched, started again after a death, stopped with its whole process group. */
export class SupervisedChild implements Component {
  readonly name: string;
  readonly #settings: SupervisedChildSettings;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  #state: ChildState = 'stopped';
  #life: ChildProcessLife | undefined;
  #running: Promise<void> | undefined;
  #isRestarting = false;
  #readiness: SupervisionMessage | undefined;
  readonly #words = new Map<SupervisorWord['type'], SupervisorWord>();

  constructor(settings: SupervisedChildSettings) {
    this.#settings = settings;
    this.name = settings.instance.name;
    this.#log = settings.log.child({ child: this.name });
  }

  get state(): ChildState {
    return this.#state;
  }

  /** While it lives. */
  get pid(): number | undefined {
    return this.#state === 'stopped' || this.#state === 'waiting' ? undefined : this.#life?.pid;
  }

  /** What it has in memory itself; 0 while it does not live. */
  ownBytes(): number {
    const { pid } = this;
    return pid === undefined ? 0 : residentBytes(pid);
  }

  /** What the child said when it became ready last. */
  get readiness(): SupervisionMessage | undefined {
    return this.#readiness;
  }

  /**
   * Resolves when the child is ready for the first time, or crashes repeatedly: the others do not wait for it then. Rejects when it
   * ends the service before that.
   */
  async start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isStarted = false;
    const started = (): void => {
      isStarted = true;
      resolve();
    };
    this.#running ??= this.#keepAlive(started).catch((error: unknown) => {
      if (!isStarted) reject(error);
      else this.#settings.onFatal(error instanceof FatalError ? error : this.#unsupervised(error));
    });
    void this.#reportSlowStart();
    await promise;
  }

  /** At first soon and then once a minute, until the child is ready for the first time: a start that hangs has no other sign. */
  async #reportSlowStart(): Promise<void> {
    const begun = this.#settings.clock.now().getTime();
    for (let pauseMs = SLOW_START_MS; await sleep(pauseMs, this.#stop.signal); pauseMs = STILL_SLOW_MS) {
      if (this.#readiness !== undefined) return;
      const seconds = Math.round((this.#settings.clock.now().getTime() - begun) / 1_000);
      this.#log.warn({ pid: this.pid, state: this.#state, seconds }, 'process not ready yet');
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    const life = this.#life;
    if (life !== undefined) await this.#end(life);
    await this.#running;
    this.#state = 'stopped';
  }

  /**
   * Asks the child to stop, as `stop` does, and starts it again at once. Nothing happens while it is not ready, unless `isReadyOnly` is
   * false, nor while none runs.
   */
  async restart({ isReadyOnly = true } = {}): Promise<void> {
    const life = this.#life;
    if ((isReadyOnly && this.#state !== 'ready') || life === undefined) return;
    this.#isRestarting = true;
    await this.#end(life);
  }

  /** Also to those that are started later. A program that never said a word is told none: it may not read them. */
  notify(word: SupervisorWord): void {
    if (isDeepStrictEqual(word, this.#words.get(word.type))) return;
    this.#words.set(word.type, word);
    if (this.#state === 'ready') this.#life?.notify(word);
  }

  async #end(life: ChildProcessLife): Promise<void> {
    life.terminate();
    const limit = new AbortController();
    void sleep(this.#settings.graceMs + AFTER_ITS_OWN_LIMIT_MS, limit.signal).then((passed) => {
      if (!passed) return;
      this.#log.warn({ pid: life.pid }, 'child process did not stop in time, killing it');
      life.kill();
    });
    await life.ended;
    limit.abort();
  }

  health(): ComponentHealth {
    const crashing = this.crashHealth();
    if (crashing !== undefined) return crashing;
    if (this.#state === 'ready') return { status: 'healthy' };
    const { lastEnding } = this.#settings.policy;
    const problem = makeProblem('process_not_ready', { process: this.name, state: this.#state, ending: lastEnding });
    return foundProblems(this.#readiness === undefined ? 'unhealthy' : 'warning', [problem]);
  }

  /** While it crashes repeatedly, whether it runs at the moment or not; else undefined. */
  crashHealth(): ComponentHealth | undefined {
    const { policy, clock } = this.#settings;
    return policy.crashHealth(this.name, clock.now());
  }

  async #keepAlive(onStarted: () => void): Promise<void> {
    const { policy, clock, onRestart } = this.#settings;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const ending = await this.#live(onStarted);
      if (signal.aborted) return;
      if (this.#isRestarting) {
        this.#isRestarting = false;
        this.#log.info('child process restart failed');
        onRestart();
        continue; // it was asked to end, so this is no death
      }
      const exitCode = findStop(ending);
      if (exitCode !== undefined)
        throw new FatalError(makeProblem('process_ends_service', { process: this.name, exit_code: String(exitCode) }), exitCode);
      const delayMs = policy.afterCrash(ending, clock.now());
      this.#state = 'waiting';
      this.#logCrash(ending, delayMs);
      if (policy.isCrashingRepeatedly(clock.now())) onStarted();
      onRestart();
      await sleep(delayMs, signal);
    }
  }

  #unsupervised(error: unknown): FatalError {
    const reason = error instanceof Error ? error.message : String(error);
    return new FatalError(makeProblem('process_not_supervised', { process: this.name, error: reason }), 1, error);
  }

  #logCrash(ending: Ending, delayMs: number): void {
    const { policy, clock } = this.#settings;
    const facts = { ended_by: describeEnding(ending), crashes: policy.crashes(clock.now()), restart_in_ms: delayMs };
    if (policy.isCrashingRepeatedly(clock.now())) this.#log.error(facts, 'process crashed repeatedly, restart delayed');
    else this.#log.warn(facts, 'process exited, restarting');
  }

  /** One life of the child, watched from the moment it is ready. */
  async #live(onReady: () => void): Promise<Ending> {
    const { instance, environment, liveness, healthPath, reaper, policy, clock } = this.#settings;
    this.#state = 'starting';
    const life = startChildProcess({ command: instance.command, environment: environment(), log: this.#log, reaper });
    this.#life = life;
    const over = new AbortController();
    let cause: string | undefined;
    void life.ready.then(async (readiness) => {
      if (this.#stop.signal.aborted) return;
      this.#readiness = readiness;
      this.#state = 'ready';
      policy.becameReady(clock.now());
      for (const word of this.#words.values()) life.notify(word);
      onReady();
      const probe = { host: readiness.probe_host, port: readiness.probe_port, path: healthPath };
      const isSilent = await untilSilent(probe, liveness, over.signal);
      if (!isSilent) return;
      this.#log.error({ pid: life.pid }, 'child process unresponsive, killing it');
      cause = 'after failed health probes';
      life.kill();
    });
    const ending = await life.ended;
    over.abort();
    return cause === undefined ? ending : { ...ending, cause };
  }
}

/** How many processes of each name are wanted; a name that is absent means one. */
type Scale = Readonly<Record<string, number>>;

const MOST = 64;

/** Reads `ocr-worker=2` or `ocr-worker=2,sync=0`. Throws an Error in words for the person at the command line. */
export const parseScale = (texts: readonly string[], known: readonly string[]): Scale => {
  const scale: Record<string, number> = {};
  for (const part of texts.flatMap((text) => text.split(','))) {
    const [, name, digits] = /^([^=]+)=(\d{1,3})$/.exec(part.trim()) ?? [];
    if (name === undefined) throw new Error(`--scale requires name=count such as ocr-worker=2, not "${part}"`);
    if (!known.includes(name)) throw new Error(`--scale: unknown process "${name}"; the Procfile has ${known.join(', ')}`);
    const count = Number(digits);
    if (count > MOST) throw new Error(`--scale ${name}=${count} exceeds the maximum of ${MOST}`);
    scale[name] = count;
  }
  return scale;
};

/** One process to keep alive. */
export interface Instance {
  /** As in logs: the entry's name, with a number from the second one on. */
  readonly name: string;
  readonly number: number;
  readonly command: ProcfileEntry['command'];
}

/** The processes of `entries` in their order, each as often as `scale` says. */
export const toInstances = (entries: readonly ProcfileEntry[], scale: Scale): Instance[] =>
  entries.flatMap(({ name, command }) =>
    Array.from({ length: scale[name] ?? 1 }, (_, number) => ({ name: number === 0 ? name : `${name}.${number}`, number, command })),
  );
