import type { Db } from '@sheaf/db';
import { type FeedEvent, type FeedRange, readEventsFor } from '@sheaf/events';
import type { EventType } from '@sheaf/vocabulary/events';
import type { Principal } from '@sheaf/vocabulary/permissions';
import pLimit from 'p-limit';

/** Many clients reconnect at once after a restart; the database has other work too. */
const CONCURRENCY = 3;

/** Reads the events that a client has missed, for a few clients at a time. */
export class ReplayReader {
  readonly #db: Db;
  readonly #limit = pLimit(CONCURRENCY);

  constructor(db: Db) {
    this.#db = db;
  }

  read(principal: Principal, range: FeedRange, types?: readonly EventType[]): Promise<FeedEvent[]> {
    return this.#limit(() => readEventsFor(this.#db, principal, range, types));
  }
}
