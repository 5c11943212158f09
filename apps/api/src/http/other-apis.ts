import type { Db } from '@sheaf/db';
import { type Clock, type Component, type Live, LiveValue, type Logger, Loop } from '@sheaf/process';
import { hasOtherProcess } from '@sheaf/program';

const POLL_MS = 5_000;
/** Six heartbeats: who is silent for longer has ended, or answers nobody. */
const SILENCE_MS = 30_000;

export interface OtherApisDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  /** The id of this process. */
  readonly processId: string;
}

/** Whether other api processes work on the same database. Before it is known, they do. */
export class OtherApis implements Component {
  readonly name = 'other-apis';
  readonly #exist = new LiveValue(true);
  readonly #loop: Loop;

  constructor({ db, clock, log, processId }: OtherApisDeps) {
    this.#loop = new Loop({
      name: this.name,
      intervalMs: POLL_MS,
      log,
      run: async () => {
        const since = new Date(clock.now().getTime() - SILENCE_MS);
        this.#exist.set(await hasOtherProcess(db, { name: 'api', id: processId, since }));
        return false;
      },
    });
  }

  get exist(): Live<boolean> {
    return this.#exist;
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
