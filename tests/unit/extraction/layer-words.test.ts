import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layerWords } from '@sheaf/extraction/testing/pdf';
import test from 'ava';
import { collect } from '../../support/collect.ts';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-layer-'));
test.after.always(() => rmSync(folder, { recursive: true }));

const read = (name: string, xhtml: string, isSideways: (page: number) => boolean = () => false) => {
  const path = join(folder, name);
  writeFileSync(path, xhtml);
  return collect(layerWords(path, isSideways, new AbortController().signal));
};

const word = (text: string, [xMin, yMin, xMax, yMax]: readonly number[]): string =>
  `          <word xMin="${xMin}" yMin="${yMin}" xMax="${xMax}" yMax="${yMax}">${text}</word>\n`;
const page = (words: string): string => `  <page width="600.000000" height="800.000000">\n${words}  </page>\n`;

test('the words of each page have boxes in fractions of it, and signs instead of entities', async (t) => {
  const xhtml = `<title>${word('no', [0, 0, 1, 1])}</title>\n${page(word('a&amp;b&lt;', [60, 80, 120, 160]))}${page('')}`;
  const [first, second] = await read('pages.html', xhtml);
  t.deepEqual(first, {
    width: 600,
    height: 800,
    words: [{ text: 'a&b<', box: { x: 0.1, y: 0.1, width: 0.1, height: 0.1 }, confidence: 1 }],
  });
  t.deepEqual(second?.words, []);
});

test('a page that is shown on its side has its sides exchanged', async (t) => {
  const [first] = await read('sideways.html', page(word('up', [400, 300, 480, 360])), () => true);
  t.deepEqual([first?.width, first?.height, first?.words[0]?.box], [800, 600, { x: 0.5, y: 0.5, width: 0.1, height: 0.1 }]);
});

test('a line without an end, and a page without one, are left out', async (t) => {
  const [first, second] = await read(
    'hostile.html',
    `${page(word('ok', [1, 1, 2, 2]) + word('x'.repeat(2_000_000), [1, 1, 2, 2]))}<page width="1" height="1">`,
  );
  t.deepEqual([first?.words.map(({ text }) => text), second], [['ok'], undefined]);
});
