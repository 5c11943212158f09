import type { FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import type { Storage } from '@sheaf/storage';
import type { Thumbnails } from '../documents/thumbnails.ts';
import type { Cursors } from '../http/cursor.ts';

/** What the routes of share links use. */
export interface ShareServices {
  readonly config: Pick<FixedConfig, 'publicUrl' | 'shares' | 'signIn' | 'sessions'>;
  readonly database: Database;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly thumbnails: Thumbnails;
}
