import { ReadDatabase } from '@sheaf/api/testing';
import type { FixedConfig } from '@sheaf/config';
import { makeRegistry } from '@sheaf/process';

/** For an app whose routes ask no database. */
export const readsWithoutDatabase = (config: FixedConfig): ReadDatabase =>
  new ReadDatabase(undefined as never, undefined, config, makeRegistry('api'));
