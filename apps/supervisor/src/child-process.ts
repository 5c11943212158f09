import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Component, type Logger, type SupervisionMessage, type SupervisorWord, supervisionMessage } from '@sheaf/process';
import { processStart } from '@sheaf/process/machine';
import type { Ending } from './restart-policy.ts';

export interface ChildCommand {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly reaper: Reaper;
}

/** One life of a child: from its start to its end. */
export interface ChildProcessLife {
  readonly pid: number | undefined;
  /** Resolves when the child says that it is ready; never when it ends before. */
  readonly ready: Promise<SupervisionMessage>;
  readonly ended: Promise<Ending>;
  /** Says something over the channel; nothing happens where the child has closed it. */
  notify(word: SupervisorWord): void;
  /** Asks the child alone to stop; it ends its own programs. */
  terminate(): void;
  /** Ends the child and everything in its process group. */
  kill(): void;
}

const COMMAND_NOT_FOUND = 127;

/** The Node of the project, which this process runs on: no shell looks for it again. */
const OWN_NODE: readonly string[] = ['node', 'bin/sheaf-node'];

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // nobody is left in the group
  }
};

/** Starts a program in a process group of its own, with a channel to us. It writes to our output. */
export const startChildProcess = ({ command: [file, ...args], environment, log, reaper }: ChildCommand): ChildProcessLife => {
  const child = spawn(OWN_NODE.includes(file) ? process.execPath : file, args, {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) reaper.watch(pid);
  const ready = new Promise<SupervisionMessage>((resolve) => {
    child.on('message', (message) => {
      const parsed = supervisionMessage.safeParse(message);
      if (parsed.success) resolve(parsed.data);
      else log.warn({ err: parsed.error }, 'unknown message from child process');
    });
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => {
      if (pid !== undefined) return; // it runs; a signal or a message could not be sent
      log.error({ err: error, file }, 'child process failed to start');
      resolve({ code: COMMAND_NOT_FOUND, signal: undefined });
    });
    child.once('exit', (code, signal) => {
      killGroup(pid); // programs it left behind
      if (pid !== undefined) reaper.forget(pid);
      resolve({ code: code ?? undefined, signal: signal ?? undefined });
    });
  });
  const notify = (word: SupervisorWord): void => {
    if (child.connected) child.send(word, () => {}); // it may end meanwhile
  };
  return { pid, ready, ended, notify, terminate: () => child.kill('SIGTERM'), kill: () => killGroup(pid) };
};

const SCRIPT = fileURLToPath(new URL('./reaper.sh', import.meta.url));
/** Over the children's own limit, so that theirs comes first. */
const EXTRA_SECONDS = 2;

/**
 * A small shell beside the supervisor that outlives its SIGKILL and ends whatever the children leave behind: programs
 * they had started, and a child that hangs and does not see that its supervisor is gone.
 */
export class Reaper implements Component {
  readonly name = 'reaper';
  readonly #graceMs: number;
  #shell: ChildProcess | undefined;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  async start(): Promise<void> {
    if (this.#shell !== undefined) return;
    const graceSeconds = Math.ceil(this.#graceMs / 1_000) + EXTRA_SECONDS;
    this.#shell = spawn('/bin/sh', [SCRIPT, String(graceSeconds)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
    this.#shell.stdin?.on('error', () => {}); // someone killed it: the children still see the end of their channel
    await once(this.#shell, 'spawn');
  }

  async stop(): Promise<void> {
    const shell = this.#shell;
    if (shell === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
    const ended = once(shell, 'exit');
    shell.stdin?.end();
    await ended;
  }

  /** `pid` leads a process group that must not outlive us. */
  watch(pid: number): void {
    const start = processStart(pid);
    if (start !== undefined) this.#shell?.stdin?.write(`+ ${pid} ${start}\n`);
  }

  /** The group is gone, its number may come again. */
  forget(pid: number): void {
    this.#shell?.stdin?.write(`- ${pid}\n`);
  }
}
