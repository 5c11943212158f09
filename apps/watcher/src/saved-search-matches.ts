import type { Db } from '@sheaf/db';
import type { AlertAudience } from '@sheaf/events/notifications';
import { type Component, type Live, type Logger, Loop } from '@sheaf/process';
import { notifyMatches } from '@sheaf/search/saved-searches';

/** What is completed in between is one notification. */
const INTERVAL_MS = 15_000;

interface Deps {
  readonly db: Db;
  readonly audience: Live<AlertAudience>;
  readonly log: Logger;
}

/** Notifies owners of saved searches of new matches, in the one process of its kind that works. */
export const makeSavedSearchMatches = ({ db, audience, log }: Deps): Component =>
  new Loop({
    name: 'saved-search-matches',
    intervalMs: INTERVAL_MS,
    log,
    run: () => notifyMatches({ db, audience: audience.current(), log }),
  });
