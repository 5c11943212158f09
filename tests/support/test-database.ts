import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';

/** Tests of a file that share a database, which is there before the first of them. */
export const testWithDatabase = (): TestFn<TestDatabase> => {
  const test = anyTest as TestFn<TestDatabase>;
  let database: TestDatabase | undefined;
  test.before(async () => {
    database = await openTestDatabase();
  });
  test.beforeEach((t) => {
    if (database === undefined) throw new Error('the database did not start');
    t.context = database;
  });
  test.after.always(() => database?.[Symbol.asyncDispose]());
  return test;
};

/** Tests that have a database each. */
export const testWithOwnDatabase = (): TestFn<TestDatabase> => {
  const test = anyTest as TestFn<TestDatabase>;
  test.beforeEach(async (t) => {
    t.context = await openTestDatabase();
  });
  test.afterEach.always((t) => t.context[Symbol.asyncDispose]());
  return test;
};
