import { ByteBudget } from '@sheaf/storage/testing';
import test from 'ava';

/** Lets everything run that does not wait for a budget. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes of the budget and tells in what order the shares came. */
const takeAll = (budget: ByteBudget, shares: readonly number[]) => {
  const held: { readonly bytes: number; readonly share: Disposable }[] = [];
  for (const bytes of shares) void budget.take(bytes).then((share) => held.push({ bytes, share }));
  return { held, sizes: () => held.map(({ bytes }) => bytes), giveBack: (index: number) => held[index]?.share[Symbol.dispose]() };
};

test('what does not fit waits until enough is released', async (t) => {
  const { sizes, giveBack } = takeAll(new ByteBudget(10), [4, 5, 6]);
  await settle();
  t.deepEqual(sizes(), [4, 5]);
  giveBack(0);
  await settle();
  t.deepEqual(sizes(), [4, 5]);
  giveBack(1);
  await settle();
  t.deepEqual(sizes(), [4, 5, 6]);
});

test('who came first is served first, so that a large share is not kept waiting by small ones', async (t) => {
  const { sizes, giveBack } = takeAll(new ByteBudget(10), [8, 9, 1, 1]);
  await settle();
  t.deepEqual(sizes(), [8]);
  giveBack(0);
  await settle();
  t.deepEqual(sizes(), [8, 9, 1]);
});

test('a share larger than everything is given alone', async (t) => {
  const { sizes, giveBack } = takeAll(new ByteBudget(10), [1, 50, 1]);
  await settle();
  t.deepEqual(sizes(), [1]);
  giveBack(0);
  await settle();
  t.deepEqual(sizes(), [1, 50]);
  giveBack(1);
  await settle();
  t.deepEqual(sizes(), [1, 50, 1]);
});
