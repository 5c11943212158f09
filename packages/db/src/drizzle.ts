import { createRequire } from 'node:module';
import { errorText, isServerError } from '@sheaf/process/errors';

/** Enough for the beginning of any statement of ours; the rest is placeholders. */
const READ_CHARACTERS = 4_000;
const LABEL_CHARACTERS = 120;

const WRITE = /\b(insert into|update|delete from|merge into|truncate|lock table|copy|refresh materialized view) ("?[\w.]+"?)/i;
const READ = /\bfrom ("?[\w.]+"?)/i;

/** What a statement is called in a log: verb and table, or the beginning of its text. Never a value. */
export const statementLabel = (text: string): string => {
  const plain = text
    .slice(0, READ_CHARACTERS)
    .replaceAll(/'[^']*(?:'|$)/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const written = WRITE.exec(plain);
  if (written !== null) return `${written[1]?.toLowerCase()} ${written[2]}`.replaceAll('"', '');
  const read = /^(?:select|with)\b/i.test(plain) ? READ.exec(plain) : null;
  return read === null ? plain.slice(0, LABEL_CHARACTERS) : `select from ${read[1]}`.replaceAll('"', '');
};

/**
 * A statement failed. Says which one and why, and nothing of its parameters, so that it may be logged, stored and handed on as it is. It
 * has the code and the constraint of the server's error, which is not kept; what else went wrong is its cause.
 */
class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly statement: string;
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;

  constructor(text: string, cause: unknown) {
    const statement = statementLabel(text);
    const server = isServerError(cause) ? cause : undefined;
    const why = server === undefined && cause instanceof Error ? cause.message : errorText(cause);
    super(`${statement} failed: ${why}`, server === undefined ? { cause } : undefined);
    this.statement = statement;
    this.code = server?.code;
    this.constraint = server?.constraint;
    this.table = server?.table;
    this.column = server?.column;
  }
}

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
