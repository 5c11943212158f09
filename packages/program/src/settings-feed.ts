import {
  type Config,
  LayeredSettings,
  type LoadedConfig,
  type SettingProblem,
  type SettingsInUse,
  type StoredSettings,
} from '@sheaf/config';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Database, Listener } from '@sheaf/db';
import { type Component, type Live, LiveValue, type Logger, Loop, select, within } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { readSystemSettings } from './settings/index.ts';

export interface SettingsFeedDeps {
  readonly loaded: LoadedConfig;
  readonly database: Database;
  readonly log: Logger;
  /** Called when the schema may have been migrated. Whoever listens for settings listens for that too: a connection of its own is 2 MB of the server. */
  readonly onSchemaNudge?: () => void;
}

/** A nudge that was lost costs so much. */
const POLL_MS = 30_000;
/** How long a start waits for the database to say what is stored. */
const START_MS = 2_000;

/**
 * Keeps the configuration of a process in step with what the database holds. What is not valid is told once and ignored; while
 * the database is away the last known settings stay.
 */
export class SettingsFeed implements Component, Live<Config> {
  readonly name = 'settings';
  readonly layers: LayeredSettings;
  /** Of the configuration and what is stored beside it. */
  readonly hash: Live<string>;
  readonly #deps: SettingsFeedDeps;
  readonly #inUse: LiveValue<Pick<SettingsInUse, 'config' | 'hash'>>;
  readonly #config: Live<Config>;
  readonly #loop: Loop;
  readonly #listener: Listener;
  /** What was last taken up, as text. */
  #known = '';
  #logged = '';
  #refreshing: Promise<void> = Promise.resolve();

  constructor(deps: SettingsFeedDeps) {
    const { loaded, database, log } = deps;
    this.#deps = deps;
    this.layers = new LayeredSettings(loaded);
    this.#inUse = new LiveValue({ config: loaded.config, hash: loaded.hash });
    this.#config = select(this.#inUse, ({ config }) => config);
    this.hash = select(this.#inUse, ({ hash }) => hash);
    this.#loop = new Loop({ name: 'read-settings', intervalMs: POLL_MS, log, run: () => this.#round() });
    this.#listener = new Listener({
      url: database.directUrl,
      channels: [CHANNELS.settings, CHANNELS.schema],
      log,
      onNudge: (channel) => (channel === CHANNELS.schema ? deps.onSchemaNudge?.() : this.#loop.nudge()),
    });
  }

  /**
   * To be called before anything is made from the configuration. Goes on without the database when that does not answer soon:
   * what can be changed while the process runs is taken up later, and the rest is said to need a start.
   */
  async readAtStart(limitMs: number = START_MS): Promise<Config> {
    const stored = await within(this.#tryToRead(), limitMs);
    if (stored !== undefined) {
      this.layers.start(stored);
      this.#take(stored);
    }
    return this.current();
  }

  current(): Config {
    return this.#config.current();
  }

  subscribe(listener: (config: Config) => void): () => void {
    return this.#config.subscribe(listener);
  }

  async start(): Promise<void> {
    await this.#loop.start();
    await this.#listener.start();
  }

  async stop(): Promise<void> {
    await this.#listener.stop();
    await this.#loop.stop();
  }

  health(): ComponentHealth {
    return this.#loop.health();
  }

  /** Takes up what is stored now. One after the other, so that nothing older comes last. */
  refresh(): Promise<void> {
    const refreshing = this.#refreshing.then(async () => this.#take(await readSystemSettings(this.#deps.database.db)));
    this.#refreshing = refreshing.catch(() => {}); // the caller has it
    return refreshing;
  }

  async #round(): Promise<boolean> {
    await this.refresh();
    return false;
  }

  async #tryToRead(): Promise<StoredSettings | undefined> {
    try {
      return await readSystemSettings(this.#deps.database.db);
    } catch (error) {
      this.#deps.log.debug({ err: error }, 'starting without stored settings, database unavailable');
      return undefined;
    }
  }

  #take(stored: StoredSettings): void {
    const text = JSON.stringify(Object.entries(stored).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    if (text === this.#known) return;
    const isFirst = this.#known === '';
    const { config, hash, problems } = this.layers.use(stored);
    this.#known = text;
    this.#logProblems(problems);
    if (!isFirst || Object.keys(stored).length > 0) this.#deps.log.info({ settings: Object.keys(stored) }, 'stored settings applied');
    this.#inUse.set({ config, hash });
  }

  #logProblems(problems: readonly SettingProblem[]): void {
    const text = JSON.stringify(problems);
    if (text === this.#logged) return;
    this.#logged = text;
    for (const { key, message } of problems)
      this.#deps.log.warn({ setting: key, reason: message }, 'invalid stored setting ignored; change or remove it with PUT /api/settings');
  }
}
