import type { Database } from '@sheaf/db';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { SettingsFeed } from '@sheaf/program';
import type { OcrLanguages } from '../queue/languages.ts';

/** What the routes of settings use. */
export interface SettingsServices {
  /** Of those who have chosen none. */
  readonly defaultLanguage: Live<string>;
  /** The settings that the database holds. */
  readonly feed: SettingsFeed;
  readonly database: Database;
  readonly languages: OcrLanguages;
  readonly clock: Clock;
  readonly log: Logger;
}
