import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import { familyOf } from './processes.ts';
import { StartedProgram } from './started-program.ts';

const ROOT = join(import.meta.dirname, '../..');

const FAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`)
  .find(existsSync);
export const hasFakeTime = FAKETIME !== undefined;

export interface WorkerPlan {
  /** What its host calls itself. */
  readonly host: string;
  /** Where it has a network of its own. */
  readonly namespace?: string;
  /** How far its clock is from that of this machine; the monotonic one goes right. */
  readonly clockOffsetSeconds?: number;
  readonly env: Readonly<Record<string, string>>;
}

const clockOf = (offsetSeconds: number): Record<string, string> =>
  FAKETIME === undefined || offsetSeconds === 0
    ? {}
    : { LD_PRELOAD: FAKETIME, FAKETIME: `${offsetSeconds > 0 ? '+' : ''}${offsetSeconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };

const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // short ones end between the look at them and the signal
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
};

/** An ocr-worker alone on a host of its own: with another name and other processes than this machine, and another network if it is told. */
export class NamespacedWorker implements AsyncDisposable {
  readonly host: string;
  readonly #program: StartedProgram;
  #frozen: readonly number[] = [];
  #isDead = false;

  constructor({ host, namespace, clockOffsetSeconds = 0, env }: WorkerPlan) {
    this.host = host;
    const place = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace];
    const own = ['unshare', '--uts', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];
    const clock = Object.entries(clockOf(clockOffsetSeconds)).map(([name, value]) => `${name}=${value}`);
    const script = `hostname ${host}; exec env ${clock.join(' ')} ${process.execPath} apps/ocr-worker/src/main.ts`;
    this.#program = new StartedProgram({
      command: [...place, ...own, 'sh', '-c', script],
      cwd: ROOT,
      env: { ...CODE_CACHE_ENVIRONMENT, ...env },
      isWrapper: true,
    });
  }

  get output(): string {
    return this.#program.output;
  }

  async ready(): Promise<void> {
    await this.#program.says(/\bready\b/);
  }

  /** All of its processes at once, as when the power goes. */
  async kill(): Promise<void> {
    this.#isDead = true;
    process.kill(this.#program.pid, 'SIGKILL');
    await this.#program.ended();
  }

  /** All of its processes stand still. */
  async freeze(): Promise<void> {
    this.#frozen = await familyOf(this.#program.pid);
    signalAll(this.#frozen, 'SIGSTOP');
  }

  /** At once: what stands still has started nothing meanwhile. */
  thaw(): void {
    signalAll(this.#frozen, 'SIGCONT');
    this.#frozen = [];
  }

  async stop(): Promise<number | null> {
    return await this.#program.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    if (!this.#isDead) await this.stop();
  }
}
