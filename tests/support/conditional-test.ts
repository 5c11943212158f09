import test, { type ExecutionContext, type SerialFn, type TestFn } from 'ava';
import { openOtherFileSystem } from '../fixtures/other-file-system.ts';

type DeclareTest<Context> = (title: string, run: (t: ExecutionContext<Context>) => void | Promise<void>) => void;

const printed = new Set<string>();

/**
 * Declares tests that not every machine can run: `declare`, or where `isPossible` is false its `skip`, so that ava reports each of
 * them as skipped. The reason is printed once.
 */
export const testWhere = <Context = unknown>(
  isPossible: boolean,
  reason: string,
  declare: TestFn<Context> | SerialFn<Context> = test as TestFn<Context>,
): DeclareTest<Context> => {
  if (isPossible) return declare;
  if (!printed.has(reason)) process.stdout.write(`skipped: ${reason}\n`);
  printed.add(reason);
  return declare.skip;
};

/** Only root may take rights away from a process, run one as someone else, or give files away. */
export const isRoot = process.geteuid?.() === 0;

const other = await openOtherFileSystem();
await other?.[Symbol.asyncDispose]();

/** `testWhere` there is a second file system, or this user may mount one. */
export const makeTestAcross = (declare: TestFn | SerialFn = test): DeclareTest<unknown> =>
  testWhere(other !== undefined, 'there is no second file system here', declare);
