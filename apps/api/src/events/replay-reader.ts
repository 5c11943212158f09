import type { EventType, Principal } from '@sheaf/contract';
import { type Db, type FeedEvent, type FeedRange, readEventsFor } from '@sheaf/db';

/** Many come back at once after a restart; the database has other work too. */
const AT_ONCE = 3;

/** Reads what somebody has missed, for a few at a time. */
export class ReplayReader {
  readonly #db: Db;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  async read(principal: Principal, range: FeedRange, types?: readonly EventType[]): Promise<FeedEvent[]> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await readEventsFor(this.#db, principal, range, types);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // takes this place
    }
  }
}
