import type { Database } from '@sheaf/db';
import type { Clock, Logger } from '@sheaf/process';
import type { Cursors } from '../http/cursor.ts';
import type { OcrLanguages } from './languages.ts';

/** What the routes of the OCR queue use. */
export interface QueueServices {
  readonly database: Database;
  readonly languages: OcrLanguages;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly log: Logger;
}
