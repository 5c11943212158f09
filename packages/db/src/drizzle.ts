import { createRequire } from 'node:module';
import { StatementError } from './statement-error.ts';

/**
 * drizzle in its CommonJS form, with the types of the other. Its ES modules are some 150 small files that Node resolves one by
 * one: 0.45 s at the start of each process, against 0.05 s for this (two cores, code cache warm). There are five processes.
 */
const load = createRequire(import.meta.url);
const operators = load('drizzle-orm') as typeof import('drizzle-orm');
const postgres = load('drizzle-orm/pg-core') as typeof import('drizzle-orm/pg-core');
const nodePostgres = load('drizzle-orm/node-postgres') as typeof import('drizzle-orm/node-postgres');

export const { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, lt, lte, ne, or, sql } = operators;
export const {
  alias,
  bigint,
  boolean,
  check,
  customType,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} = postgres;
export const { drizzle } = nodePostgres;

interface RunningQuery {
  queryWithCache<T>(text: string, parameters: readonly unknown[], run: () => Promise<T>): Promise<T>;
}

/**
 * Every statement of drizzle runs here. Its own form of this makes an error that has all parameters, whole pages of documents, in its
 * message, in its stack and in a field. No result is cached, so there is nothing else to do.
 */
(postgres.PgPreparedQuery.prototype as unknown as RunningQuery).queryWithCache = async (text, _parameters, run) => {
  try {
    return await run();
  } catch (error) {
    throw new StatementError(text, error);
  }
};

export type { Placeholder, SQL } from 'drizzle-orm';
export type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
export type { AnyPgColumn, PgColumn, PgDatabase, PgTable } from 'drizzle-orm/pg-core';
