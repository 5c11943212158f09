import { AppError, type Issue, invalidInput, rowId, toIssues, withoutOptionalNulls } from '@sheaf/contract';
import { z } from 'zod';

/**
 * `value` as `schema` reads it; null for an optional field is as if it were absent. Throws VALIDATION_ERROR with an issue for each mistake, and those that `alsoWrong` finds in other fields, so
 * that all are told at once.
 */
export const parseInput = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: 'query' | 'body',
  alsoWrong: (value: unknown) => readonly Issue[] = () => [],
): T => {
  const result = schema.safeParse(withoutOptionalNulls(schema, value), { reportInput: true });
  if (result.success) return result.data;
  const ownIssues = toIssues(result.error);
  const issues = [...ownIssues, ...alsoWrong(value).filter(({ path }) => !ownIssues.some((issue) => issue.path === path))];
  throw invalidInput(what, issues);
};

/** The parameters of a path. What cannot name a row is a row that does not exist. */
export const parseParams = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('NOT_FOUND', 'This resource does not exist.', { cause: result.error });
};

export const idParams = z.strictObject({ id: rowId });
