import type { Secret } from '@sheaf/contract';
import type { ComponentHealth, ServiceProblem } from '@sheaf/contract/operations';
import { type Database, Leadership } from '@sheaf/db';
import { type Component, type Logger, stopInReverse } from '@sheaf/process';

export interface SoleWorkSettings {
  readonly url: Secret;
  /** The process of which one works at a time: watcher, sync. */
  readonly processName: string;
  /** Whether to stand by while another one works, or to end with exit code 69. */
  readonly mayStandBy: boolean;
  readonly log: Logger;
  /** Ends the process. */
  readonly onLost: (error: Error) => void;
}

type Stage = 'waiting' | 'standby' | 'active' | 'stopped';

/**
 * The components that one process of a kind runs at a time. Its `start` resolves when they have started, or when another process works
 * and this one stands by: that is as ready as it can be, and whoever replaces processes one by one waits for that.
 */
export class SoleWork implements Component {
  readonly name = 'replica-lock';
  readonly #settings: SoleWorkSettings;
  readonly #leadership: Leadership;
  readonly #standby = Promise.withResolvers<void>();
  readonly #started: Component[] = [];
  #components: readonly Component[] = [];
  #stage: Stage = 'waiting';
  #work: Promise<void> | undefined;

  constructor(settings: SoleWorkSettings) {
    const { url, processName, mayStandBy, log, onLost } = settings;
    const onStandby = ({ details }: ServiceProblem): void => {
      log.info(details, `standing by: another ${processName} works`);
      this.#stage = 'standby';
      this.#standby.resolve();
    };
    this.#settings = settings;
    this.#leadership = new Leadership({ url, processName, log, onLost, ...(mayStandBy ? { onStandby } : {}) });
  }

  /** The database for the components, which is closed to them unless this process is the one that works. */
  fence(database: Database): Database {
    return this.#leadership.fence(database);
  }

  /** @returns this, with what it runs */
  of(components: readonly Component[]): this {
    this.#components = components;
    return this;
  }

  get isActive(): boolean {
    return this.#stage === 'active';
  }

  /** Those whose health counts now. */
  get running(): readonly Component[] {
    return this.#started;
  }

  async start(): Promise<void> {
    this.#work ??= this.#begin();
    const begun = this.#work;
    // once it stands by nobody waits for its beginning any more
    void this.#standby.promise.then(() => begun.catch(this.#settings.onLost));
    await Promise.race([begun, this.#standby.promise]);
  }

  async stop(): Promise<void> {
    this.#stage = 'stopped';
    if (this.#started.length === 0) await this.#leadership.release();
    await stopInReverse(this.#started, this.#settings.log);
    await this.#leadership.release();
  }

  health(): ComponentHealth {
    return this.#stage === 'standby' ? { status: 'healthy' } : this.#leadership.health();
  }

  async #begin(): Promise<void> {
    await this.#leadership.acquire();
    if (!this.#leadership.isHeld || this.#stage === 'stopped') return;
    if (this.#stage === 'standby') this.#settings.log.info(`taking over as ${this.#settings.processName}`);
    for (const component of this.#components) {
      if (this.#isStopped()) return;
      this.#started.push(component); // before start: a half-started component is stopped too
      await component.start();
    }
    this.#stage = 'active';
  }

  #isStopped(): boolean {
    return this.#stage === 'stopped';
  }
}
