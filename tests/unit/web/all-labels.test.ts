import { readAllLabels } from '@sheaf/web/testing';
import test from 'ava';

type Page = Awaited<ReturnType<Parameters<typeof readAllLabels>[0]>>;

const labelsFrom = (first: number, count: number, total: number): Page =>
  ({ labels: Array.from({ length: count }, (_, index) => ({ id: String(first + index) })), pagination: { total } }) as unknown as Page;

test('labels beyond the first hundred are read too', async (t) => {
  const asked: number[] = [];
  const labels = await readAllLabels((page) => {
    asked.push(page);
    return Promise.resolve(labelsFrom((page - 1) * 100, page === 3 ? 20 : 100, 220));
  });
  t.deepEqual(asked, [1, 2, 3]);
  t.is(labels.length, 220);
  t.is(labels.at(-1)?.id, '219');
});

test('it ends also where labels went meanwhile', async (t) => {
  const labels = await readAllLabels((page) => Promise.resolve(labelsFrom(0, page === 1 ? 100 : 0, 150)));
  t.is(labels.length, 100);
});
