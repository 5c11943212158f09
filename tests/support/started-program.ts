import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from './wait-for.ts';

export interface ProgramSettings {
  readonly command: readonly string[];
  readonly cwd: string;
  /** All of it: nothing of the environment of the tests comes along. */
  readonly env: Readonly<Record<string, string>>;
  /** As this OS user, where the tests run as root. */
  readonly uid?: number | undefined;
}

/** A program that runs on until it is asked to stop, and what it has printed. */
export class StartedProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  #output = '';

  constructor({ command: [file = '', ...args], cwd, env, uid }: ProgramSettings) {
    this.#name = [file, ...args].join(' ');
    this.#child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid, gid: uid }) });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString('utf8')));
  }

  get output(): string {
    return this.#output;
  }

  /** The first match in what it prints; fails when it ends before. */
  async says(pattern: RegExp, limitMs = 60_000): Promise<RegExpExecArray> {
    return await waitFor(
      () => {
        const match = pattern.exec(this.#output);
        if (match === null && this.#hasEnded()) throw new Error(`${this.#name} ended with ${this.#child.exitCode}:\n${this.#output}`);
        return match ?? undefined;
      },
      { description: `${this.#name} to say ${String(pattern)}`, limitMs },
    );
  }

  /** Its exit code, once it has ended by itself. */
  async ended(): Promise<number | null> {
    if (!this.#hasEnded()) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  /** Asks the process alone to stop, as systemd and container engines do; resolves with its exit code. */
  async stop(limitMs = 30_000): Promise<number | null> {
    if (!this.#hasEnded()) this.#child.kill('SIGTERM');
    await waitFor(() => this.#hasEnded(), { description: `${this.#name} to stop; it said:\n${this.#output.slice(-2_000)}`, limitMs });
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
