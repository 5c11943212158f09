import type { Database } from '@sheaf/db';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of custom fields use. */
export interface FieldServices {
  readonly database: Database;
  readonly cursors: Cursors;
}
