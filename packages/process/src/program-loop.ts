import type { ComponentHealth } from '@sheaf/contract/operations';
import type { ChildProgram, ProgramEnd } from './child-program.ts';
import type { Component } from './component.ts';
import type { Logger } from './log.ts';
import { Loop } from './loop.ts';

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
