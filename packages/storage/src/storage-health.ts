import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Component, type Logger, Loop } from '@sheaf/process';
import type { Storage } from './storage.ts';

const INTERVAL_MS = 15_000;

/** Asks the storage again and again how it is, so that a probe gets its answer at once. */
export class StorageHealth implements Component {
  readonly name = 'file_storage';
  readonly #storage: Storage;
  readonly #loop: Loop;
  #last: ComponentHealth = { status: 'healthy' };

  constructor(storage: Storage, log: Logger, intervalMs: number = INTERVAL_MS) {
    this.#storage = storage;
    this.#loop = new Loop({ name: this.name, intervalMs, log, run: () => this.#check() });
  }

  async start(): Promise<void> {
    await this.#check();
    await this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  health(): ComponentHealth {
    return this.#last;
  }

  async #check(): Promise<boolean> {
    this.#last = await this.#storage.check();
    return false;
  }
}
