import type { Secret } from '@sheaf/contract';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { backoffMs, type Component, type Logger, sleep } from '@sheaf/process';
import type { Channel } from '@sheaf/vocabulary/events';
import type { Client } from 'pg';
import { connectClient } from './connect.ts';

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

const RECONNECT = { baseMs: 250, maxMs: 5_000 };
/** Reconnecting is everyday business until it has taken so long. */
const PATIENCE_MS = 10_000;

const untilLost = (client: Client, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** LISTENs on a connection of its own and reconnects for ever. Nudges are a courtesy: polling is the truth. */
export class Listener implements Component {
  readonly name = 'listener';
  readonly #settings: ListenerSettings;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  /** Undefined while connected. */
  #deafSinceMs: number | undefined = performance.now();

  constructor(settings: ListenerSettings) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
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

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const wasConnected = await this.#listenUntilLost(signal);
      if (signal.aborted) return;
      if (wasConnected) attempt = 1;
      await sleep(backoffMs(attempt, RECONNECT), signal);
    }
  }

  async #listenUntilLost(signal: AbortSignal): Promise<boolean> {
    const { url, channels, log, onNudge } = this.#settings;
    let client: Client | undefined;
    try {
      client = await connectClient(url, { applicationName: 'sheaf listener' });
      client.on('notification', ({ channel, payload }) => onNudge(channel as Channel, payload));
      const lost = untilLost(client, signal);
      for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      this.#deafSinceMs = undefined;
      for (const channel of channels) onNudge(channel);
      await lost;
      if (!signal.aborted) log.warn('LISTEN connection lost');
      return true;
    } catch (error) {
      log.debug({ err: error }, 'LISTEN connection failed, retrying');
      return false;
    } finally {
      this.#deafSinceMs ??= performance.now();
      await client?.end().catch(() => {}); // already lost: nothing to end
    }
  }
}
