import { type ComponentHealth, makeProblem, unhealthy } from '@sheaf/contract/operations';
import { openPostgresServer, type PostgresServer, type PostgresServerSettings } from '@sheaf/embedded-postgres';
import { type Clock, type Component, FatalError, type Logger, sleep } from '@sheaf/process';
import { describeEnding, type RestartPolicy } from './restart-policy.ts';

export interface EmbeddedDatabaseSettings {
  readonly server: PostgresServerSettings;
  readonly policy: RestartPolicy;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRestart: () => void;
  /** Nobody knows any more whether the database runs. */
  readonly onFatal: (error: FatalError) => void;
}

/** The PostgreSQL of the project. When it dies it is started again on the same port; its clients reconnect by themselves. */
export class EmbeddedDatabase implements Component {
  readonly name = 'embedded-database';
  readonly #settings: EmbeddedDatabaseSettings;
  readonly #stop = new AbortController();
  #server: PostgresServer | undefined;
  #isUp = false;
  #opening: Promise<void> | undefined;
  #running: Promise<void> | undefined;

  constructor(settings: EmbeddedDatabaseSettings) {
    this.#settings = settings;
  }

  /** With the password. Throws before `start`. */
  get url(): string {
    if (this.#server === undefined) throw new Error('the embedded database has not been started');
    return this.#server.url;
  }

  async start(): Promise<void> {
    this.#opening ??= this.#open(this.#settings.server);
    await this.#opening;
    this.#running ??= this.#keepAlive().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      const problem = makeProblem('process_not_supervised', { process: this.name, error: reason });
      this.#settings.onFatal(error instanceof FatalError ? error : new FatalError(problem, undefined, error));
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#opening?.catch(() => {}); // `start` has told it
    await this.#server?.stop();
    await this.#running;
  }

  health(): ComponentHealth {
    const crashing = this.crashHealth();
    if (crashing !== undefined) return crashing;
    return this.#isUp ? { status: 'healthy' } : unhealthy('embedded_database_down');
  }

  /** While it crashes repeatedly, whether it runs at the moment or not; else undefined. */
  crashHealth(): ComponentHealth | undefined {
    const { policy, clock } = this.#settings;
    return policy.crashHealth(this.name, clock.now());
  }

  async #open(settings: PostgresServerSettings): Promise<void> {
    this.#server = await openPostgresServer(settings);
    this.#isUp = true;
    this.#settings.policy.becameReady(this.#settings.clock.now());
    this.#settings.log.info({ port: this.#server.port, place: this.#server.dataPath }, 'embedded database started');
  }

  async #keepAlive(): Promise<void> {
    const { policy, clock, log, onRestart } = this.#settings;
    const { signal } = this.#stop;
    while (this.#server !== undefined) {
      const ending = await this.#server.exited;
      this.#isUp = false;
      if (signal.aborted) return;
      for (let isOpen = false; !isOpen && !signal.aborted; ) {
        const delayMs = policy.afterCrash(ending, clock.now());
        const facts = { ended_by: describeEnding(ending), crashes: policy.crashes(clock.now()), restart_in_ms: delayMs };
        log.error(facts, 'embedded database exited, restarting');
        onRestart();
        if (await sleep(delayMs, signal)) isOpen = await this.#reopen(this.#server.port);
      }
    }
  }

  async #reopen(port: number): Promise<boolean> {
    try {
      this.#opening = this.#open({ ...this.#settings.server, port, exactPort: true });
      await this.#opening;
      return true;
    } catch (error) {
      this.#settings.log.error({ err: error }, 'embedded database failed to start');
      return false;
    }
  }
}
