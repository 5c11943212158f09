import { usePasswordCores, verifyPassword } from '@sheaf/accounts';
import type { AppError } from '@sheaf/contract';
import test from 'ava';

/** How many of `calls` at the same moment are told to come back: a hundred wait, the others run. */
const refusedOf = async (calls: number): Promise<number> => {
  const results = await Promise.allSettled(
    Array.from({ length: calls }, () => verifyPassword('correct horse', 'no hash, which is soon seen')),
  );
  return results.filter((result) => result.status === 'rejected' && (result.reason as AppError).code === 'SERVICE_UNAVAILABLE').length;
};

test('CPU_CORES: passwords are worked on by half of the cores, and by one at least', async (t) => {
  usePasswordCores(1);
  t.is(await refusedOf(104), 3);
  usePasswordCores(8);
  t.is(await refusedOf(104), 0);
});
