import { type Database, latestVersion, readSchemaVersion, schemaDifference } from '@sheaf/db';

/** Throws a FatalError that says what to do, where the database has another schema than this code is written for. */
export const requireSchema = async ({ db }: Pick<Database, 'db'>): Promise<void> => {
  const difference = schemaDifference(await readSchemaVersion(db), await latestVersion());
  if (difference !== undefined) throw difference;
};
