import { EXIT } from '@sheaf/contract';
import { FatalError } from '@sheaf/runtime';

/** That a newer Sheaf has been here, which no second start changes. */
export const newerSchema = (found: string): FatalError =>
  new FatalError(`${found}. Start a newer Sheaf, or restore a backup that this one has made`, EXIT.configuration);

/** What is wrong with a database of the schema `version` for code that needs `expected`, and what to do; undefined where nothing is. */
export const schemaDifference = (version: number, expected: number): FatalError | undefined => {
  if (version === expected) return undefined;
  if (version > expected) return newerSchema(`The database has schema version ${version}, and this Sheaf knows no newer one than ${expected}`);
  return new FatalError(`The database has schema version ${version} and this Sheaf needs ${expected}. Run bin/migrate up`);
};
