import type { Secret } from '@sheaf/contract';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Component, Logger } from '@sheaf/process';
import type { Channel } from '@sheaf/vocabulary/events';
import { Listening, type Subscriber } from './listening.ts';

export interface ListenerSettings {
  readonly url: Secret;
  readonly channels: readonly Channel[];
  readonly log: Logger;
  /**
   * Called for each nudge with what it says, and once for each channel, without, after every (re)connection: something may have
   * been missed.
   */
  readonly onNudge: (channel: Channel, payload?: string) => void;
}

/** Reconnecting is everyday business until it has taken so long. */
const PATIENCE_MS = 10_000;

/**
 * LISTENs on a connection beside the pool, which all listeners of the process share, and reconnects for ever. Nudges are a courtesy:
 * polling is the truth.
 */
export class Listener implements Component {
  readonly name = 'listener';
  readonly #url: Secret;
  readonly #subscriber: Subscriber;
  #listening: Listening | undefined;
  #isStopped = false;
  /** Undefined while connected. */
  #deafSinceMs: number | undefined = performance.now();

  constructor({ url, channels, log, onNudge }: ListenerSettings) {
    this.#url = url;
    this.#subscriber = {
      channels,
      log,
      onNudge,
      onConnected: () => {
        this.#deafSinceMs = undefined;
        for (const channel of channels) onNudge(channel);
      },
      onLost: () => {
        this.#deafSinceMs ??= performance.now();
      },
    };
  }

  async start(): Promise<void> {
    if (this.#listening !== undefined || this.#isStopped) return;
    this.#listening = Listening.on(this.#url);
    this.#listening.join(this.#subscriber);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#listening?.leave(this.#subscriber);
    this.#deafSinceMs ??= performance.now();
  }

  /** Whether nudges arrive. After it was not, `onNudge` is called before it is again seen to be. */
  get isConnected(): boolean {
    return this.#deafSinceMs === undefined;
  }

  health(): ComponentHealth {
    return this.#deafSinceMs === undefined || performance.now() - this.#deafSinceMs < PATIENCE_MS
      ? { status: 'healthy' }
      : warning('listener_disconnected');
  }
}
