import type { Db } from '@sheaf/db';
import type { Clock, Logger } from '@sheaf/process';

/** What the directories of the users are kept with. */
export interface WatchDirectoryDeps {
  readonly db: Db;
  /** Where they are, each called as its user. Made when it is absent. */
  readonly baseFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Who asked for a change, for the audit log. */
export interface Initiator {
  readonly actor: { readonly userId: string; readonly username: string };
  readonly address: string | undefined;
}
