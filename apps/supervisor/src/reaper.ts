import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Component } from '@sheaf/process';
import { processStart } from '@sheaf/process/machine';

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
