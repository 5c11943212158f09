import type { Database } from '@sheaf/db';
import type { Cursors } from '../http/cursor.ts';

export interface AuditServices {
  readonly database: Database;
  readonly cursors: Cursors;
}
