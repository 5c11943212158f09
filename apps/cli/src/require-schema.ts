import { type Database, latestVersion, readSchemaVersion } from '@sheaf/db';
import { FatalError } from '@sheaf/runtime';

/** Throws a FatalError that says what to do, where the database has another schema than this code is written for. */
export const requireSchema = async ({ db }: Pick<Database, 'db'>): Promise<void> => {
  const [version, expected] = [await readSchemaVersion(db), await latestVersion()];
  if (version !== expected) throw new FatalError(`the database has schema version ${version}, not ${expected}: run bin/migrate up`);
};
