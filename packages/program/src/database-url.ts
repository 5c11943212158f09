import { readFileSync } from 'node:fs';
import type { Config } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl } from '@sheaf/db';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** The database to use, with how to connect to it: the configured one, else the embedded one while it runs (it leaves its address in a file). */
export const findDatabaseUrl = ({ database, embeddedDatabase }: Config): Secret => {
  if (database.url !== undefined) return completeDatabaseUrl(database.url, database);
  try {
    return new Secret(readFileSync(embeddedDatabase.urlFile, 'utf8').trim());
  } catch (error) {
    throw new FatalError(
      'DATABASE_URL is not set and the embedded database is not running. Start the service with `npm start`, or set DATABASE_URL',
      EXIT.configuration,
      error,
    );
  }
};
