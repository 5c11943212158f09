import type { ServiceProblem, ServiceProblemCode } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import type { ExecutionContext } from 'ava';

/** Asserts that `work` ends a process with `code` and `exitCode`. Returns the problem. */
export const throwsProblem = async (
  t: ExecutionContext,
  work: PromiseLike<unknown>,
  code: ServiceProblemCode,
  exitCode: number,
): Promise<ServiceProblem> => {
  const { problem, exitCode: ended } = await t.throwsAsync(work, { instanceOf: FatalError });
  t.deepEqual({ code: problem.code, exitCode: ended }, { code, exitCode });
  return problem;
};
