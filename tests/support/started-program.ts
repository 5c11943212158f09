import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { waitFor } from './wait-for.ts';

export interface ProgramSettings {
  readonly command: readonly string[];
  readonly cwd: string;
  /** All of it: nothing of the environment of the tests comes along. */
  readonly env: Readonly<Record<string, string>>;
  /** As this OS user, where the tests run as root. */
  readonly uid?: number | undefined;
  /** The program starts another one in namespaces of its own and waits for it (bwrap): that one is asked to stop. */
  readonly isWrapper?: boolean;
}

const onlyChildOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);

/** A program that runs on until it is asked to stop, and what it has printed. */
export class StartedProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #isWrapper: boolean;
  #output = '';

  constructor({ command: [file = '', ...args], cwd, env, uid, isWrapper = false }: ProgramSettings) {
    this.#isWrapper = isWrapper;
    this.#name = [file, ...args].join(' ');
    this.#child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid, gid: uid }) });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString('utf8')));
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`${this.#name} was not started`);
    return pid;
  }

  /** The first match in what it prints; fails when it ends before. */
  async says(pattern: RegExp, limitMs = 60_000): Promise<RegExpExecArray> {
    return await waitFor(
      () => {
        const match = pattern.exec(this.#output);
        if (match === null && this.#hasEnded()) throw new Error(`${this.#name} ended with ${this.#child.exitCode}:\n${this.#output}`);
        return match ?? undefined;
      },
      { description: () => `${this.#name} to say ${String(pattern)}; so far it said:\n${this.#output.slice(-2_000)}`, limitMs },
    );
  }

  /** Its exit code, once it has ended by itself. */
  async ended(): Promise<number | null> {
    if (!this.#hasEnded()) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  /** Asks the process alone to stop, as systemd and container engines do; resolves with its exit code. */
  async stop(limitMs = 30_000): Promise<number | null> {
    const { pid } = this.#child;
    if (!this.#hasEnded() && pid !== undefined) process.kill(this.#isWrapper ? onlyChildOf(pid) : pid, 'SIGTERM');
    await waitFor(() => this.#hasEnded(), { description: () => `${this.#name} to stop; it said:\n${this.#output.slice(-2_000)}`, limitMs });
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
