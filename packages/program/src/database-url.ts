import { readFileSync } from 'node:fs';
import type { Config } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { completeDatabaseUrl } from '@sheaf/db';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

export interface DatabaseUrls {
  readonly url: Secret;
  /** Where `url` leads to a connection pooler. */
  readonly directUrl: Secret | undefined;
}

/** The database to use, with how to connect to it: the configured one, else the embedded one while it runs (it leaves its address in a file). */
export const findDatabaseUrls = ({ database, directDatabaseUrl, embeddedDatabase }: Config): DatabaseUrls => {
  if (database.url !== undefined)
    return {
      url: completeDatabaseUrl(database.url, database),
      directUrl: directDatabaseUrl && completeDatabaseUrl(directDatabaseUrl, database),
    };
  try {
    return { url: new Secret(readFileSync(embeddedDatabase.urlFile, 'utf8').trim()), directUrl: undefined };
  } catch (error) {
    throw new FatalError(makeProblem('database_not_configured'), EXIT.configuration, error);
  }
};
