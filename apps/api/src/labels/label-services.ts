import type { Database } from '@sheaf/db';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of labels use. */
export interface LabelServices {
  readonly database: Database;
  readonly cursors: Cursors;
}
