import { type ComponentHealth, makeProblem, unhealthy } from '@sheaf/contract/operations';
import { type Clock, type Component, FatalError, type Logger, sleep } from '@sheaf/process';
import { isDatabaseDiskFull } from '@sheaf/process/machine';
import { openPostgresServer, type PostgresServer, type PostgresServerSettings } from '@sheaf/program/embedded-postgres';
import { describeEnding, type RestartPolicy } from './restart-policy.ts';

export interface EmbeddedDatabaseSettings {
  readonly server: PostgresServerSettings;
  readonly policy: RestartPolicy;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRestart: () => void;
  /** It listens on another port: its address has changed. */
  readonly onMoved: () => void;
  /** Nobody knows any more whether the database runs. */
  readonly onFatal: (error: FatalError) => void;
}

/** The clients need not be informed of another port when the remains of the server, or a connection, had it for a moment. */
const TRIES_ON_ITS_PORT = 2;

/** The PostgreSQL of the project. When it dies it is started again on the same port, or on the next free one; then its clients have to be. */
export class EmbeddedDatabase implements Component {
  readonly name = 'embedded-database';
  readonly #settings: EmbeddedDatabaseSettings;
  readonly #stop = new AbortController();
  #server: PostgresServer | undefined;
  #isUp = false;
  /** When it was last down. */
  #isDiskFull = false;
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
    if (!this.#isUp && this.#isDiskFull) return unhealthy('database_disk_full');
    if (crashing !== undefined) return crashing;
    if (this.#isUp) return { status: 'healthy' };
    return unhealthy('embedded_database_down');
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
      for (let [isOpen, tries] = [false, 1]; !isOpen && !signal.aborted; tries += 1) {
        const delayMs = policy.afterCrash(ending, clock.now());
        const facts = { ended_by: describeEnding(ending), crashes: policy.crashes(clock.now()), restart_in_ms: delayMs };
        log.error(facts, 'embedded database exited, restarting');
        onRestart();
        this.#isDiskFull = await isDatabaseDiskFull(this.#settings.server.dataPath);
        if (await sleep(delayMs, signal)) isOpen = await this.#reopen(this.#server.port, tries <= TRIES_ON_ITS_PORT);
      }
    }
  }

  async #reopen(port: number, exactPort: boolean): Promise<boolean> {
    const { server, log, onMoved } = this.#settings;
    try {
      this.#opening = this.#open({ ...server, port, exactPort });
      await this.#opening;
    } catch (error) {
      log.error({ err: error }, 'embedded database failed to start');
      return false;
    }
    if (this.#server?.port !== port) {
      log.warn({ port: this.#server?.port, taken_port: port }, 'embedded database moved: another server uses its port');
      onMoved();
    }
    return true;
  }
}
