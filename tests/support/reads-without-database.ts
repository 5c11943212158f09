import type { FixedConfig } from '@sheaf/config';
import { makeRegistry } from '@sheaf/process';
import { ReadDatabase } from '../../apps/api/src/http/read-database.ts';

/** For an app whose routes ask no database. */
export const readsWithoutDatabase = (config: FixedConfig): ReadDatabase =>
  new ReadDatabase(undefined as never, undefined, config, makeRegistry('api'));
