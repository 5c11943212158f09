import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPaperlessArchive } from '@sheaf/paperless/archive';
import { isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { makeZip } from '../../fixtures/zip.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';

const recordOf = (pk: number): string =>
  JSON.stringify({ model: 'documents.document', pk, fields: { title: `Document ${pk}`, content: 'word "quoted" \\ '.repeat(20) } });

const CONTENTS: Readonly<Record<string, (size: number) => string>> = {
  records: (size) => `[${Array.from({ length: size }, (_, pk) => recordOf(pk)).join(',')}]`,
  'one long record': (size) => `[{"model":"documents.document","pk":1,"fields":{"content":"${'x'.repeat(size * 300)}"}}]`,
  'a record of backslashes': (size) => `[{"model":"documents.document","pk":1,"fields":{"content":"${'\\\\'.repeat(size * 150)}"}}]`,
  'empty records': (size) => `[${'{"model":"a.b","pk":1,"fields":{}},'.repeat(size * 5)}{"model":"a.b","pk":1,"fields":{}}]`,
  'spaces between records': (size) => `[${' '.repeat(size * 300)}]`,
};

const readAll = async (path: string): Promise<number> => {
  await using archive = await openPaperlessArchive(path);
  let count = 0;
  for await (const _ of archive.records(['documents.document'])) count += 1;
  return count;
};

const writeExport = (folder: string, name: string, pieces: Iterable<string>): string => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'metadata.json'), '{"version":"2.20.15"}');
  writeFileSync(join(path, 'a.pdf'), 'x');
  writeFileSync(join(path, 'manifest.json'), '');
  for (const piece of pieces) appendFileSync(join(path, 'manifest.json'), piece);
  return path;
};

for (const [name, make] of Object.entries(CONTENTS)) {
  test.serial(`reading a manifest takes time in proportion to its length: ${name}`, async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paperless-'));
    const write = (size: number): string => writeExport(folder.path, String(size), [make(size)]);
    t.true((await growthOf(write, readAll, 500)) <= MAX_LINEAR_GROWTH);
  });
}

test.serial('the directory of an archive is read once, whatever is opened of it', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paperless-'));
  const make = (size: number): Buffer =>
    makeZip([
      { name: 'metadata.json', text: '{"version":"2.20.15"}' },
      { name: 'manifest.json', text: '[]' },
      ...Array.from({ length: size }, (_, at) => ({ name: `originals/${at}.txt`, text: `file ${at}`, stored: true })),
    ]);
  const read = async (bytes: Buffer): Promise<void> => {
    const path = join(folder.path, 'export.zip');
    writeFileSync(path, bytes);
    await using archive = await openPaperlessArchive(path);
    for (let at = 0; at < bytes.length / 200; at += 1) (await archive.openFile(`originals/${at}.txt`))?.stream.destroy();
  };
  t.true((await growthOf(make, read, 200)) <= MAX_LINEAR_GROWTH);
});

/** What is held, once what nobody holds is gone. */
const heldBytes = (): number => {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** If they were kept, the records would take 500 bytes each. */
const RECORDS = isFullRun ? 150_000 : 30_000;
const FIRST_LOOK = 5_000;
const MAX_MORE_BYTES = 4 * 1024 * 1024;

test.serial('memory does not grow with the number of records', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paperless-'));
  const pieces = function* (): Generator<string> {
    yield '[';
    for (let pk = 0; pk < RECORDS; pk += 1_000)
      yield `${pk === 0 ? '' : ','}${Array.from({ length: 1_000 }, (_, at) => recordOf(pk + at)).join(',')}`;
    yield ']';
  };
  const path = writeExport(folder.path, 'large', pieces());
  let [count, first, last] = [0, 0, 0];
  await using archive = await openPaperlessArchive(path);
  for await (const _ of archive.records(['documents.document'])) {
    count += 1;
    if (count === FIRST_LOOK) first = heldBytes();
    else if (count === RECORDS) last = heldBytes();
  }
  t.is(count, RECORDS);
  t.true(last - first < MAX_MORE_BYTES, `${last - first} bytes`);
});
