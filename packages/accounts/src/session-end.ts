import type { Db } from '@sheaf/db';

/** What a change of a user does to what he is signed in with. */
export interface SessionEnd {
  /** Ends his sessions but for one, in the transaction of the change. */
  endAll(tx: Db, userId: string, exceptSessionId?: string): Promise<void>;
  /** After the commit: nothing that was remembered of him holds any more. */
  forget(userId: string): void;
}
