import type { Db } from '@sheaf/db';

/** Ends the transaction of a dry run, which changes nothing. */
class DryRunOver extends Error {}

/** What `work` answers; what it wrote is taken back in a dry run. */
export const withTakingBack = async <T>(db: Db, isDryRun: boolean, work: (db: Db) => Promise<T>): Promise<T> => {
  if (!isDryRun) return work(db);
  const answers: T[] = [];
  try {
    await db.transaction(async (tx) => {
      answers.push(await work(tx));
      throw new DryRunOver();
    });
  } catch (error) {
    if (!(error instanceof DryRunOver)) throw error;
  }
  if (answers.length === 0) throw new Error('a dry run without an answer');
  return answers[0] as T;
};
