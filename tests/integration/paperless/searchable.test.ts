// Searchable PDFs in an export: the archive files of Paperless-ngx.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { findProgram } from '@sheaf/extraction/testing';
import type { ImportSummary } from '@sheaf/imports';
import { documentKey, LocalStorage, previewKey } from '@sheaf/storage';
import { drawScan, givenDocument, givenUser, makePdf, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import { encodePageWords } from '@sheaf/vocabulary/page-words';
import { runSheafHere } from '../../support/command-in-process.ts';
import { testWhere } from '../../support/conditional-test.ts';
import { readImported } from '../../support/imported-library.ts';
import { layOut, lookInto } from '../../support/searchable-pdf.ts';
import { hashOf } from './given-library.ts';
import { readExport } from './read-export.ts';

const test = testWhere((await findProgram('qpdf')) !== undefined, 'qpdf is not installed');

const LINES = [
  ['Zażółć', 'gęślą'],
  ['harbour', 'office'],
];
const TEXT = LINES.map((line) => line.join(' ')).join('\n');

const openService = async () => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  const uploads = join(folder.path, 'uploads');
  const storage = new LocalStorage({ path: uploads, thumbnailPath: join(uploads, 'thumbnails') });
  const owner = await givenUser(database.db, { role: 'admin', username: 'first' });
  const env = {
    PATH: process.env['PATH'],
    DATA_PATH: join(folder.path, 'data'),
    UPLOAD_PATH: uploads,
    DATABASE_URL: database.url.reveal(),
  };
  const add = async (bytes: Buffer, filename: string, mimeType: string, origin: 'ocr' | 'text') => {
    const sha256 = hashOf(bytes);
    const { path: filePath } = await storage.put(documentKey(sha256), bytes);
    const file = { sha256, sizeBytes: bytes.length, filePath, filename, title: filename, mimeType };
    const document = await givenDocument(database.db, { ownerId: owner.id, status: 'completed', pageCount: 1, ...file });
    const words = origin === 'ocr' ? encodePageWords(TEXT, { width: 504, height: 200, words: layOut(LINES) }) : undefined;
    await savePages(database.db, document.id, [{ page: 1, content: TEXT, confidence: 0.9, origin, words }]);
    return document;
  };
  const run = (...args: readonly string[]) => runSheafHere(args, env);
  return { database, storage, uploads, folder: folder.path, add, run, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

test('scans and office files have their PDFs in the export, which goes on where it ended and is imported again', async (t) => {
  await using service = await openService();
  const { add, run, storage, folder, database } = service;
  const scan = await add(makePdf([{ picture: await drawScan(['A scan']) }]), 'scan.pdf', 'application/pdf', 'ocr');
  const photo = await add((await drawScan(['A photo'])).jpeg, 'photo.jpg', 'image/jpeg', 'ocr');
  const letter = await add(Buffer.from('{\\rtf1 a letter}'), 'letter.rtf', 'application/rtf', 'text');
  await storage.put(previewKey(letter.sha256), makePdf([{ lines: ['a letter'] }]));
  await add(makePdf([{ lines: ['has its text'] }]), 'text.pdf', 'application/pdf', 'text');
  await add(Buffer.from('plain'), 'plain.txt', 'text/plain', 'text');
  const path = join(folder, 'export');

  t.is((await run('export', 'paperless', join(folder, 'plain'))).status, 0);
  t.false((await readdir(join(folder, 'plain'))).includes('archive'));
  const first = await run('export', 'paperless', path, '--searchable');
  t.is(first.status, 0, first.stderr);
  const records = (await readExport(path)).of('documents.document');
  const archives = records.flatMap(({ fields, files: { archive } }) =>
    archive === undefined ? [] : [{ title: fields.title, name: archive, checksum: fields.archive_checksum }],
  );
  t.deepEqual(archives.map(({ title }) => title).toSorted(), ['letter.rtf', 'photo.jpg', 'scan.pdf']);
  for (const { title, name, checksum } of archives) {
    const pdf = join(path, name);
    t.is(checksum, hashOf(await readFile(pdf), 'md5'));
    const found = (await lookInto(pdf)).pages.flatMap(({ words }) => words.map(({ text }) => text)).sort();
    t.deepEqual(found, title === 'letter.rtf' ? ['a', 'letter'] : LINES.flat().sort());
  }
  const stored = await readdir(service.uploads);
  t.false(stored.includes('searchable'), 'PDFs that are made for the export are not kept in the storage');

  // as after a kill: one PDF is not there, and another one is cut
  const [cut] = archives;
  await writeFile(join(path, cut?.name ?? ''), 'cut');
  const second = await run('export', 'paperless', path, '--searchable', '--incremental');
  t.is(second.status, 0, second.stderr);
  t.true(second.stderr.includes('1 files written, 7 kept, 0 removed'), second.stderr);

  await using other = await openService();
  const imported = await other.run('import', 'paperless', path, '--json');
  t.like((JSON.parse(imported.stdout) as ImportSummary).documents, { imported: 5, failed: 0 }, imported.stderr);
  const rows = [...(await readImported(other.database)).values()];
  t.deepEqual(
    rows.map(({ title, content }) => `${title}: ${content}`).toSorted(),
    records.map(({ fields }) => `${fields.title}: ${TEXT}`).toSorted(),
  );
  t.true(
    rows.some(({ sha256 }) => sha256 === scan.sha256),
    'its file is the scan itself',
  );
  const [given, taken] = await Promise.all([storage, other.storage].map((each) => each.stat(previewKey(letter.sha256))));
  t.is(taken?.sizeBytes, given?.sizeBytes);
  const again = join(other.folder, 'again');
  t.is((await other.run('export', 'paperless', again, '--searchable')).status, 0);
  const back = (await readExport(again)).of('documents.document').filter(({ files }) => files.archive !== undefined);
  // an import brings no positions of words: the PDF of the photo is without text, and that of the scan the scan itself
  t.deepEqual(back.map(({ fields }) => fields.title).toSorted(), ['letter.rtf', 'photo.jpg']);

  // one that cannot be made is named, and the file is there
  await storage.put(documentKey(hashOf('no picture')), Buffer.from('no picture'));
  await database.db
    .update(documents)
    .set({ sha256: hashOf('no picture'), sizeBytes: 10 })
    .where(eq(documents.id, photo.id));
  const third = await run('export', 'paperless', path, '--searchable', '--incremental');
  t.is(third.status, 1);
  t.true(third.stderr.includes(`document ${photo.id}: its searchable PDF could not be made`), third.stderr);
  t.is((await readExport(path)).of('documents.document').length, 5);
});
