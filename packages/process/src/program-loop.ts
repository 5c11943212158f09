import { spawn } from 'node:child_process';
import type { ComponentHealth } from '@sheaf/contract/operations';
import type { Logger } from './log.ts';
import { type Component, Loop } from './loop.ts';

interface ProgramLoopSettings {
  /** Of the component. */
  readonly name: string;
  readonly loop: string;
  readonly intervalMs: number;
  readonly log: Logger;
}

/**
 * Does pieces of work one at a time, each in a program of its own. A program that runs is asked to stop when the loop is, and a round
 * must not begin one after its signal is aborted.
 */
export abstract class ProgramLoop implements Component {
  readonly name: string;
  readonly #loop: Loop;
  #program: ChildProgram | undefined;

  protected constructor({ name, loop, intervalMs, log }: ProgramLoopSettings) {
    this.name = name;
    this.#loop = new Loop({ name: loop, intervalMs, log, run: (signal) => this.round(signal) });
  }

  /** Looks for one piece of work and does it; whether there was one. */
  protected abstract round(signal: AbortSignal): Promise<boolean>;

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Something may have been asked for. */
  nudge(): void {
    this.#loop.nudge();
  }

  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    this.#program?.stop();
    await stopped;
  }

  health(): ComponentHealth {
    return this.#loop.health();
  }

  /** How a program ended that was started. */
  protected async waitFor(program: ChildProgram): Promise<ProgramEnd> {
    this.#program = program;
    try {
      return await program.ended;
    } finally {
      this.#program = undefined;
    }
  }
}

/** Of what a program writes to standard error, the last characters are kept. */
const MAX_STDERR_CHARS = 4_000;
const KILL_AFTER_MS = 10_000;

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last of what it wrote to standard error, or why it could not be started. */
  readonly stderr: string;
}

export interface ChildProgram {
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to stop, and ends it by force where it does not. May be called twice. */
  stop(): void;
}

interface ChildSettings {
  /** That of this process where nothing is said. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Is given what the program sends; it may be anything. */
  readonly onMessage?: (message: unknown) => void;
}

/** Starts a file of this service as a program. It can see by its channel when this process is gone. */
export const startChildProgram = (file: string, args: readonly string[], { environment, onMessage }: ChildSettings = {}): ChildProgram => {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(environment === undefined ? {} : { env: environment }),
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS);
  });
  if (onMessage !== undefined) child.on('message', onMessage);
  let killing: NodeJS.Timeout | undefined;
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, stderr: error.message });
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(killing);
      resolve({ exitCode, signal, stderr });
    });
  });
  return {
    ended,
    stop: () => {
      child.kill('SIGTERM');
      killing ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    },
  };
};

/** The last line of what a command of the service wrote to standard error, without the name of the command; null where there is none. */
export const lastErrorLine = (stderr: string, command: string): string | null => {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  const beginning = `${command}: `;
  return (line.startsWith(beginning) ? line.slice(beginning.length) : line) || null;
};
