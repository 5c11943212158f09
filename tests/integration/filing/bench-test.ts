import anyTest, { type TestFn } from 'ava';
import { type BarcodeBench, openBarcodeBench } from './fixture.ts';

/** One bench for all tests of a file, which come one after the other: each of them finds it without documents and labels. */
export const testWithBarcodeBench = (): TestFn<{ bench: BarcodeBench }>['serial'] => {
  const test = anyTest as TestFn<{ bench: BarcodeBench }>;
  let bench: BarcodeBench;
  test.before(async () => {
    bench = await openBarcodeBench();
  });
  test.after.always(() => bench[Symbol.asyncDispose]());
  test.serial.beforeEach(async (t) => {
    t.context = { bench };
    for (const table of ['documents', 'labels', 'sources']) await bench.rows(`delete from ${table}`);
    await bench.rows('update users set role = $1', bench.owner.role);
  });
  return test.serial;
};
