import { type Database } from '@sheaf/db';
import { latestVersion, readSchemaState, schemaDifference } from '@sheaf/db/migrations';

/** Throws a FatalError that says what to do, where the database has a schema that this code does not work with. */
export const requireSchema = async ({ db }: Pick<Database, 'db'>): Promise<void> => {
  const expected = await latestVersion();
  const difference = schemaDifference(await readSchemaState(db, expected), expected);
  if (difference !== undefined) throw difference;
};
