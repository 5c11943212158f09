import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText, SMALL_TEXT_BYTES } from '@sheaf/extraction/testing/text';
import test from 'ava';

const MAX_PAGES = 100;

const read = async (bytes: Buffer, { donePages = new Set<number>(), signal = new AbortController().signal } = {}) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-read-text-'));
  const path = join(folder.path, 'text');
  await writeFile(path, bytes);
  const opened = await readText({ path, donePages, signal }, MAX_PAGES);
  if (!opened.ok) return opened.reason;
  const pages: { page: number; text: string }[] = [];
  for await (const batch of opened.pages) pages.push(...batch.map(({ page, text }) => ({ page, text })));
  return { count: opened.pageCount, pages };
};

/** Two bytes a letter, so that a limit may fall between them. */
const textOf = (bytes: number): string => (bytes % 2 === 0 ? '' : 'a') + 'ä'.repeat(Math.floor(bytes / 2));

test('a text is the same whether it is read at once or piece by piece', async (t) => {
  for (const size of [0, 1, SMALL_TEXT_BYTES - 1, SMALL_TEXT_BYTES, SMALL_TEXT_BYTES + 1, 5 * SMALL_TEXT_BYTES + 1]) {
    const text = textOf(size);
    t.deepEqual(await read(Buffer.from(text)), { count: 1, pages: [{ page: 1, text }] }, `${size} bytes`);
  }
});

test('the encoding and the pages of a small text are found as those of a large one', async (t) => {
  t.deepEqual(await read(Buffer.from('größer\fzweite', 'latin1')), {
    count: 2,
    pages: [
      { page: 1, text: 'größer' },
      { page: 2, text: 'zweite' },
    ],
  });
  t.deepEqual(await read(Buffer.from('one\ftwo\fthree'), { donePages: new Set([2]) }), {
    count: 3,
    pages: [
      { page: 1, text: 'one' },
      { page: 3, text: 'three' },
    ],
  });
  t.is(await read(Buffer.from('x\f'.repeat(MAX_PAGES + 1))), 'too_many_pages');
});

test('nothing is read of a text that is not wanted any more', async (t) => {
  const signal = AbortSignal.abort(new Error('not wanted'));
  await t.throwsAsync(read(Buffer.from('small'), { signal }), { message: 'not wanted' });
});
