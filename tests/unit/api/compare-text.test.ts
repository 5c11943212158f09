import { comparePages } from '@sheaf/api/testing';
import test from 'ava';
import { threadCpuMs } from '../../support/thread-cpu-ms.ts';

const page = (text: string) => new Map([[1, text]]);

test('texts are compared by word, and both can be put together from the parts', async (t) => {
  const before = 'The rent is 900 EUR.\nIt is due on Monday.';
  const after = 'The rent is 950 EUR.\nIt is due on the first Monday.';
  const [compared] = await comparePages(page(before), page(after));
  t.like(compared, { page: 1, change: 'changed', is_detailed: true });
  const put = (left: string) =>
    compared?.parts
      .filter(({ kind }) => kind !== left)
      .map(({ text }) => text)
      .join('');
  t.is(put('added'), before);
  t.is(put('removed'), after);
  t.true(compared?.parts.some(({ kind, text }) => kind === 'removed' && text === '900'));
});

test('pages that are the same, and those that one version lacks, are told as such', async (t) => {
  const pages = await comparePages(
    new Map([
      [1, 'same'],
      [2, 'gone'],
    ]),
    new Map([
      [1, 'same'],
      [3, 'new'],
    ]),
  );
  t.deepEqual(pages, [
    { page: 1, change: 'same', is_detailed: true, parts: [] },
    { page: 2, change: 'removed', is_detailed: true, parts: [{ kind: 'removed', text: 'gone' }] },
    { page: 3, change: 'added', is_detailed: true, parts: [{ kind: 'added', text: 'new' }] },
  ]);
});

test('texts that are too long or too different are told whole, in bounded time', async (t) => {
  const words = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`).join(' ');
  const count = 100;
  const many = (prefix: string, of: number) => new Map(Array.from({ length: of }, (_, n) => [n + 1, words(prefix, 9_000)]));
  const beganMs = threadCpuMs();
  const pages = await comparePages(many('a', count), many('b', count));
  t.true(threadCpuMs() - beganMs < 10_000);
  t.is(pages.length, count);
  t.true(pages.every(({ is_detailed: isDetailed, parts }) => !isDetailed && parts.length === 2));
  const [long] = await comparePages(page('x '.repeat(150_000)), page('x '.repeat(150_001)));
  t.like(long, { change: 'changed', is_detailed: false });
});
