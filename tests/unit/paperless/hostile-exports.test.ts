import { execFileSync } from 'node:child_process';
import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { openPaperlessArchive, PaperlessArchiveError } from '@sheaf/paperless/archive';
import test, { type ExecutionContext } from 'ava';
import { makeZip } from '../../fixtures/zip.ts';

type Files = Readonly<Record<string, string | Buffer>>;

const METADATA = { 'metadata.json': '{"version": "2.20.15"}' };
const record = (model: string, pk: number, fields: object = {}, more: object = {}): string =>
  JSON.stringify({ model, pk, fields, ...more });
const TAG = record('documents.tag', 1, { name: 'A [bracket], a "quote\\" and \u2028 more }' });
const GOOD: Files = { ...METADATA, 'manifest.json': `[${TAG}]`, 'a.pdf': 'content' };

const folderOf = async (t: ExecutionContext, files: Files): Promise<string> => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paperless-'));
  t.teardown(() => folder.remove());
  const path = join(folder.path, 'export');
  await mkdir(path);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
};

const zipOf = async (t: ExecutionContext, files: Files, change: (bytes: Buffer) => Buffer = (bytes) => bytes): Promise<string> => {
  const folder = await folderOf(t, {});
  const path = join(folder, 'export.zip');
  await writeFile(path, change(makeZip(Object.entries(files).map(([name, content]) => ({ name, text: content })))));
  return path;
};

const readAll = async (path: string): Promise<string[]> => {
  await using archive = await openPaperlessArchive(path);
  const found: string[] = [];
  for await (const { model, pk } of archive.records(['documents.tag', 'documents.document'])) found.push(`${model} ${pk}`);
  return found;
};

test('a manifest is read whatever pieces it comes in', async (t) => {
  const records = Array.from({ length: 3_000 }, (_, n) =>
    record('documents.tag', n, { name: `{"[\\"]} 日本 ${'x'.repeat(n % 700)}`, deep: [{ a: [n] }] }),
  );
  const manifest = `\n [ ${records.join(' ,\r\n\t')} ] \n`;
  for (const path of [await folderOf(t, { ...GOOD, 'manifest.json': manifest }), await zipOf(t, { ...GOOD, 'manifest.json': manifest })]) {
    await using archive = await openPaperlessArchive(path);
    let next = 0;
    for await (const { pk, fields } of archive.records(['documents.tag'])) {
      t.is(pk, next);
      t.deepEqual(fields, (JSON.parse(records[next] ?? '') as { fields: Record<string, unknown> }).fields);
      next += 1;
    }
    t.is(next, records.length);
  }
});

const BROKEN: Readonly<Record<string, string | Buffer>> = {
  'nothing at all': '',
  'no array': TAG,
  'a number': '7',
  'an array without an end': `[${TAG}`,
  'a record without an end': `[${TAG.slice(0, -1)}`,
  'something behind the array': `[${TAG}] x`,
  'another array behind it': `[${TAG}][]`,
  'no comma': `[${TAG} ${TAG}]`,
  'two commas': `[${TAG},,${TAG}]`,
  'a comma at the end': `[${TAG},]`,
  'a text instead of a record': `["a"]`,
  'an array instead of a record': `[[${TAG}]]`,
  'a bracket too many': `[${TAG}]]`,
  'brackets that do not match': '[{"model": "documents.tag", "pk": 1, "fields": {]]',
  'a record that is no JSON': '[{"model": "documents.tag", "pk": 1, "fields": {,}}]',
  'no model': '[{"pk": 1, "fields": {}}]',
  'no key': '[{"model": "documents.tag", "fields": {}}]',
  'a key that is no whole number': '[{"model": "documents.tag", "pk": 1.5, "fields": {}}]',
  'fields that are an array': '[{"model": "documents.tag", "pk": 1, "fields": []}]',
  'bytes that are no UTF-8': Buffer.concat([
    Buffer.from('[{"model": "documents.tag", "pk": 1, "fields": {"name": "'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}}]'),
  ]),
  'records in records': `[{"model": "documents.tag", "pk": 1, "fields": ${'{"a":'.repeat(100_000)}`,
};

for (const [name, manifest] of Object.entries(BROKEN)) {
  test(`a broken manifest is refused: ${name}`, async (t) => {
    await t.throwsAsync(readAll(await folderOf(t, { ...GOOD, 'manifest.json': manifest })), { code: 'manifest_invalid' });
  });
}

test('a record of more than 32 MB is refused before it is read', async (t) => {
  const manifest = `[{"model": "documents.tag", "pk": 1, "fields": {"name": "${'x'.repeat(33 * 1024 * 1024)}"}}]`;
  await t.throwsAsync(readAll(await zipOf(t, { ...GOOD, 'manifest.json': manifest })), { code: 'record_too_large' });
});

test('manifests of single documents are read after the other one, in any folder', async (t) => {
  const files = {
    ...GOOD,
    'json/b-manifest.json': `[${record('documents.document', 2)}]`,
    'c-manifest.json': `[${record('documents.document', 3)},${record('documents.note', 4)}]`,
  };
  for (const path of [await folderOf(t, files), await zipOf(t, files)]) {
    const [first, ...rest] = await readAll(path);
    t.is(first, 'documents.tag 1');
    t.deepEqual(rest.toSorted(), ['documents.document 2', 'documents.document 3']);
  }
});

test('what is no export is refused with the reason', async (t) => {
  const { 'manifest.json': _, ...noManifest } = GOOD;
  const cases: readonly (readonly [string, Files])[] = [
    ['manifest_missing', noManifest],
    ['metadata_missing', { 'manifest.json': `[${TAG}]`, 'a.pdf': 'x' }],
    ['metadata_missing', { ...GOOD, 'metadata.json': '{}' }],
    ['metadata_missing', { ...GOOD, 'metadata.json': 'x' }],
    ['metadata_missing', { ...GOOD, 'metadata.json': ' '.repeat(100_000) }],
    ['version_unsupported', { ...GOOD, 'metadata.json': '{"version": "4.0.0"}' }],
    ['version_unsupported', { ...GOOD, 'metadata.json': '{"version": "none"}' }],
    ['encryption_unsupported', { ...GOOD, 'metadata.json': '{"version": "3.0.0", "__crypto__": {"__key_algo__": "rot13"}}' }],
    [
      'encryption_unsupported',
      {
        ...GOOD,
        'metadata.json': JSON.stringify({
          version: '3.0.0',
          __crypto__: { __key_algo__: 'pbkdf2_sha256', __key_iters__: 1e12, __key_size__: 32, __salt_hex__: '00' },
        }),
      },
    ],
    ['data_only', { ...METADATA, 'manifest.json': `[${record('documents.document', 1)}]` }],
  ];
  for (const [code, files] of cases) {
    await t.throwsAsync(readAll(await folderOf(t, files)), { code }, JSON.stringify(files).slice(0, 200));
    await t.throwsAsync(readAll(await zipOf(t, files)), { code }, JSON.stringify(files).slice(0, 200));
  }
  t.deepEqual(await readAll(await folderOf(t, { ...METADATA, 'manifest.json': '[]' })), [], 'an empty library is no export of data alone');
  t.deepEqual(await readAll(await folderOf(t, { ...GOOD, 'metadata.json': '{"version": "1.17.4", "new": 1}' })), ['documents.tag 1']);
  const folder = await folderOf(t, GOOD);
  await t.throwsAsync(readAll(join(folder, 'nowhere')), { code: 'not_found' });
  await t.throwsAsync(readAll(join(folder, 'a.pdf')), { code: 'not_an_archive' });
  await t.throwsAsync(readAll('/dev/zero'), { code: 'not_an_archive' });
});

test('nothing outside of a folder is opened, and nothing that is no file', async (t) => {
  const folder = await folderOf(t, { ...GOOD, 'originals/b.pdf': 'b' });
  await writeFile(join(folder, '../secret'), 'secret');
  await symlink('../secret', join(folder, 'link-out.pdf'));
  await symlink('..', join(folder, 'folder-out'));
  await symlink('/dev/zero', join(folder, 'device.pdf'));
  await symlink('loop.pdf', join(folder, 'loop.pdf'));
  await symlink('originals/b.pdf', join(folder, 'link-within.pdf'));
  execFileSync('mkfifo', [join(folder, 'fifo.pdf')]);
  await using archive = await openPaperlessArchive(folder);
  const refused = [
    'link-out.pdf',
    'folder-out/secret',
    'device.pdf',
    'loop.pdf',
    'fifo.pdf',
    'originals',
    '../secret',
    '',
    '.',
    'a.pdf/',
    '/a.pdf',
  ];
  for (const name of [
    ...refused,
    './a.pdf',
    'originals/../a.pdf',
    'a.pdf\0',
    'manifest.json',
    'metadata.json',
    'x'.repeat(5_000),
    join(folder, 'a.pdf'),
  ])
    t.is(await archive.openFile(name), undefined, name.slice(0, 100));
  const opened = await archive.openFile('link-within.pdf');
  t.is(await text(opened?.stream ?? t.fail()), 'b');
  const empty = await folderOf(t, { ...GOOD, 'empty.txt': '' });
  await using other = await openPaperlessArchive(empty);
  t.is((await buffer((await other.openFile('empty.txt'))?.stream ?? t.fail())).length, 0);
});

test('a link in place of the manifest is followed within the folder only', async (t) => {
  const folder = await folderOf(t, { ...METADATA, 'a.pdf': 'x' });
  await writeFile(join(folder, '../manifest.json'), `[${TAG}]`);
  await symlink('../manifest.json', join(folder, 'manifest.json'));
  await t.throwsAsync(readAll(folder), { code: 'manifest_missing' });
});

test('a file under a name that a Mac has decomposed is found', async (t) => {
  await using archive = await openPaperlessArchive(await folderOf(t, { ...GOOD, 'Cafe\u0301.pdf': 'coffee' }));
  t.is(await text((await archive.openFile('Caf\u00e9.pdf'))?.stream ?? t.fail()), 'coffee');
});

test('names of an archive that lead out of it, and those of several entries, lead to nothing', async (t) => {
  const path = await zipOf(
    t,
    { ...GOOD, '../slip.pdf': 'x', '/abs.pdf': 'x', 'c:/b.pdf': 'x', 'twin1.pdf': '1', 'twin2.pdf': '2' },
    (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('twin2.pdf', 'twin1.pdf'), 'latin1'),
  );
  await using archive = await openPaperlessArchive(path);
  for (const name of ['../slip.pdf', '/abs.pdf', 'twin1.pdf', 'twin2.pdf']) t.is(await archive.openFile(name), undefined, name);
  t.is(await text((await archive.openFile('a.pdf'))?.stream ?? t.fail()), 'content');
});

test('an entry that is not as its archive declares it fails while it is read', async (t) => {
  const LOCAL_NAME = Buffer.from('\u0000b.bin', 'latin1');
  const content = Buffer.alloc(300_000, 'zip bomb ');
  const sizeFieldOf = (bytes: Buffer): number => bytes.lastIndexOf('b.bin') - 46 + 24; // in the directory
  const damage: Readonly<Record<string, (bytes: Buffer) => void>> = {
    'larger than declared': (bytes) => bytes.writeUInt32LE(1_000, sizeFieldOf(bytes)),
    'smaller than declared': (bytes) => bytes.writeUInt32LE(400_000, sizeFieldOf(bytes)),
    'other bytes': (bytes) => bytes.writeUInt32LE(7, sizeFieldOf(bytes) - 8),
    'packed in an unknown way': (bytes) => bytes.writeUInt16LE(12, sizeFieldOf(bytes) - 14),
    encrypted: (bytes) => bytes.writeUInt16LE(1, sizeFieldOf(bytes) - 16),
    'no deflate': (bytes) => bytes.fill(0xff, bytes.indexOf(LOCAL_NAME.subarray(1)) + 5, bytes.indexOf(LOCAL_NAME.subarray(1)) + 45),
  };
  for (const [name, change] of Object.entries(damage)) {
    const path = await zipOf(t, { ...GOOD, 'b.bin': content }, (bytes) => {
      change(bytes);
      return bytes;
    });
    await using archive = await openPaperlessArchive(path);
    const opened = (await archive.openFile('b.bin')) ?? t.fail();
    let length = 0;
    const error = await t.throwsAsync(
      async () => {
        for await (const piece of opened.stream) length += (piece as Buffer).length;
      },
      undefined,
      name,
    );
    t.true(error instanceof PaperlessArchiveError && error.code === 'file_damaged', `${name}: ${error?.message}`);
    t.true(length <= opened.sizeBytes, name);
  }
});

test('an archive that is cut off is refused', async (t) => {
  await t.throwsAsync(readAll(await zipOf(t, GOOD, (bytes) => bytes.subarray(0, -30))), { code: 'not_an_archive' });
});
