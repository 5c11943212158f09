import type { Secret } from '@sheaf/contract';
import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { backoffMs, type Component, type Logger, sleep, untilAborted } from '@sheaf/process';
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

/** A part of the process that wants to hear of some channels. */
interface Subscriber {
  readonly channels: readonly Channel[];
  readonly log: Logger;
  /** Called after every (re)connection, once nudges arrive. */
  readonly onConnected: () => void;
  readonly onLost: () => void;
  readonly onNudge: (channel: Channel, payload?: string) => void;
}

const RECONNECT = { baseMs: 250, maxMs: 5_000 };
/** One for each server: a connection of each part would be several megabytes of the server's memory for nothing. */
const shared = new Map<string, Listening>();

const untilLost = (client: Client, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    void untilAborted(signal).then(resolve);
  });

/** The connection by which all parts of this process LISTEN; it reconnects for ever, and ends with the last of them. */
class Listening {
  readonly #url: Secret;
  readonly #abort = new AbortController();
  readonly #subscribers = new Set<Subscriber>();
  #client: Client | undefined;
  #running: Promise<void> | undefined;
  /** One statement at a time. */
  #asking: Promise<void> = Promise.resolve();

  private constructor(url: Secret) {
    this.#url = url;
  }

  static on(url: Secret): Listening {
    const known = shared.get(url.reveal()) ?? new Listening(url);
    shared.set(url.reveal(), known);
    return known;
  }

  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.#running ??= this.#run();
    const client = this.#client;
    // without what it asks for it would be deaf: all begin anew
    if (client !== undefined) void this.#subscribe(client, [subscriber]).catch(() => client.end().catch(() => {}));
  }

  /** Resolves once nothing more is sent to the subscriber, and the connection is ended where it was the last. */
  async leave(subscriber: Subscriber): Promise<void> {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    if (shared.get(this.#url.reveal()) === this) shared.delete(this.#url.reveal());
    this.#abort.abort();
    await this.#running;
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
    let client: Client | undefined;
    try {
      client = await connectClient(this.#url, { applicationName: 'sheaf listener' });
      client.on('notification', ({ channel, payload }) => this.#pass(channel as Channel, payload));
      const lost = untilLost(client, signal);
      this.#client = client;
      await this.#subscribe(client, [...this.#subscribers]);
      await lost;
      if (!signal.aborted) this.#log()?.warn('LISTEN connection lost');
      return true;
    } catch (error) {
      this.#log()?.debug({ err: error }, 'LISTEN connection failed, retrying');
      return false;
    } finally {
      this.#client = undefined;
      for (const subscriber of this.#subscribers) subscriber.onLost();
      await client?.end().catch(() => {}); // already lost: nothing to end
    }
  }

  #subscribe(client: Client, subscribers: readonly Subscriber[]): Promise<void> {
    const asked = this.#asking.then(async () => {
      const channels = new Set(subscribers.flatMap((subscriber) => subscriber.channels));
      await client.query([...channels].map((channel) => `listen ${client.escapeIdentifier(channel)}`).join('; '));
      for (const subscriber of subscribers) if (this.#subscribers.has(subscriber) && this.#client === client) subscriber.onConnected();
    });
    this.#asking = asked.catch(() => {}); // the caller has it
    return asked;
  }

  #pass(channel: Channel, payload: string | undefined): void {
    for (const { channels, onNudge } of this.#subscribers) if (channels.includes(channel)) onNudge(channel, payload);
  }

  /** Of any: they are parts of one process. */
  #log(): Logger | undefined {
    const [subscriber] = this.#subscribers;
    return subscriber?.log;
  }
}
