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
export class StatementError extends Error {
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
