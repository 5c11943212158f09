import { AppError } from '@sheaf/contract';
import type { ErrorReason } from '@sheaf/vocabulary/error-codes';
import type { ExecutionContext } from 'ava';

/** Asserts that `work` fails with SERVICE_UNAVAILABLE for this reason, with at least these details. Returns the error. */
export const throwsUnavailable = async (
  t: ExecutionContext,
  work: PromiseLike<unknown> | (() => PromiseLike<unknown>),
  reason: ErrorReason,
  details: Readonly<Record<string, unknown>> = {},
  title?: string,
): Promise<AppError | undefined> => {
  const error = await t.throwsAsync(
    typeof work === 'function' ? work : () => work,
    { instanceOf: AppError, code: 'SERVICE_UNAVAILABLE' },
    title,
  );
  t.like(error?.details, { reason, ...details }, title);
  return error;
};
