import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { drawScan, makePdf, makeSignedPdf } from '@sheaf/testkit';
import { encodePageWords } from '@sheaf/vocabulary/page-words';
import { fromBufferPromise } from 'yauzl';
import { conditionOf } from '../../support/error-condition.ts';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { layOut, lookInto } from '../../support/searchable-pdf.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();
const run = promisify(execFile);

const LINES = [
  ['Zażółć', 'gęślą', 'jaźń'],
  ['Ελληνικά', 'κείμενα'],
];
const WORDS = layOut(LINES);
const TEXT = LINES.map((line) => line.join(' ')).join('\n');

let count = 0;
/** A scan that is unlike all others. */
const drawn = () => drawScan([`Scan ${++count}`, 'of the harbour office']);

interface Given {
  readonly bytes: Buffer;
  readonly name?: string;
  readonly pages?: number;
  readonly origin?: 'ocr' | 'text';
  readonly hasPositions?: boolean;
}

/** A document that was processed: each of its pages has the same words. */
const given = async (
  { admin, database }: RunningApi,
  { bytes, name = 'scan.pdf', pages = 1, origin = 'ocr', hasPositions = true }: Given,
): Promise<string> => {
  const { body } = await admin.upload({ name, bytes: new Uint8Array(bytes) });
  const id = String(body['id']);
  const words = hasPositions ? encodePageWords(TEXT, { width: 504, height: 200, words: WORDS }) : undefined;
  const all = Array.from({ length: pages }, (_, at) => ({ page: at + 1, content: TEXT, confidence: 0.9, origin, words }));
  for (let at = 0; at < pages; at += 50) await savePages(database.db, id, all.slice(at, at + 50));
  await database.db.update(documents).set({ status: 'completed' }).where(eq(documents.id, id));
  return id;
};

const pathTo = (id: string): string => `/api/documents/${id}/download?as=searchable`;

const EXPECTED = LINES.flat().sort();

/** Asks until it is made. */
const download = async ({ admin }: Pick<RunningApi, 'admin'>, id: string): Promise<{ status: number; headers: Headers; bytes: Buffer }> => {
  for (;;) {
    const response = await admin.request(pathTo(id));
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 202) return { status: response.status, headers: response.headers, bytes };
  }
};

const problemOf = async ({ admin }: RunningApi, id: string): Promise<unknown> => {
  const { status, body } = await admin.get(pathTo(id));
  const { details } = body['error'] as { details: Record<string, unknown> };
  return status === 404 && conditionOf(body) === 'SEARCHABLE_PDF_NOT_AVAILABLE' ? details['problem'] : body;
};

/** The words of each page, by their letters. */
const wordsOf = async (bytes: Buffer): Promise<string[][]> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-searchable-'));
  const path = join(folder.path, 'file.pdf');
  await writeFile(path, bytes);
  return (await lookInto(path)).pages.map(({ words }) => words.map(({ text }) => text).sort());
};

const storedPdfs = async ({ storedFiles }: RunningApi, sha256: string): Promise<string[]> =>
  (await storedFiles()).filter((path) => path.includes('/searchable/') && path.includes(sha256));

test('a scan becomes a PDF with its words, made once for all who ask, and is gone with the document', async (t) => {
  const { admin } = t.context;
  const id = await given(t.context, { bytes: makePdf([{ picture: await drawn() }, { lines: ['a page with text'] }]) });
  const sha256 = String((await admin.get(`/api/documents/${id}`)).body['sha256']);
  const answers = await Promise.all(Array.from({ length: 5 }, () => download(t.context, id)));
  for (const { status, bytes } of answers) {
    t.is(status, 200);
    t.deepEqual(bytes, answers[0]?.bytes);
  }
  // storing it again would change its time, which is part of the ETag
  t.is(new Set(answers.map((answer) => answer.headers.get('etag'))).size, 1);
  const { headers, bytes } = await download(t.context, id);
  t.is(headers.get('content-type'), 'application/pdf');
  t.deepEqual(await wordsOf(bytes), [EXPECTED, ['a', 'page', 'text', 'with']]);
  t.is((await storedPdfs(t.context, sha256)).length, 1);
  t.is(headers.get('etag'), answers[0]?.headers.get('etag') ?? null);
  t.is((await admin.request(`/api/documents/${id}/download`)).headers.get('etag')?.length, 66);

  // other words make another one, in its place
  await savePages(t.context.database.db, id, [
    {
      page: 1,
      content: 'other',
      confidence: 1,
      origin: 'ocr',
      words: encodePageWords('other', {
        width: 10,
        height: 10,
        words: [{ text: 'other', box: { x: 0.1, y: 0.1, width: 0.2, height: 0.1 }, confidence: 1 }],
      }),
    },
  ]);
  t.deepEqual((await wordsOf((await download(t.context, id)).bytes))[0], ['other']);
  t.is((await storedPdfs(t.context, sha256)).length, 1);
  await admin.delete(`/api/documents/${id}?permanent=true`);
  await waitFor(async () => (await storedPdfs(t.context, sha256)).length === 0, { description: 'its PDF to be removed', limitMs: 5_000 });
  t.is((await admin.get(pathTo(id))).status, 404);
});

test('files that need nothing come as they are', async (t) => {
  const text = makePdf([{ lines: ['only a text layer'] }]);
  t.deepEqual((await download(t.context, await given(t.context, { bytes: text, origin: 'text' }))).bytes, text);
  const signed = await makeSignedPdf([{ picture: await drawn() }], 'Ada Łovelace');
  const id = await given(t.context, { bytes: signed });
  t.deepEqual((await download(t.context, id)).bytes, signed);
  const { body } = await t.context.admin.get(`/api/documents/${id}/signatures`);
  const [signature, ...others] = body['data'] as Record<string, unknown>[];
  t.is(others.length, 0);
  t.like(signature, { signer: 'Ada Łovelace', is_valid: true, covers_whole_document: true, reason: null });
  t.true(Date.parse(String(signature?.['signed_at'])) > Date.now() - 3_600_000);
});

test('signatures that do not hold say why', async (t) => {
  const signed = await makeSignedPdf([{ lines: ['Signed'] }], 'Ada');
  const changed = Buffer.from(signed);
  changed.write('Zigned', changed.indexOf('(Signed)') + 1);
  const ofBytes = async (bytes: Buffer): Promise<unknown> =>
    (await t.context.admin.get(`/api/documents/${await given(t.context, { bytes, origin: 'text' })}/signatures`)).body['data'];
  t.like(await ofBytes(changed), { 0: { is_valid: false, reason: 'document_changed' } });
  t.like(await ofBytes(Buffer.concat([signed, Buffer.from('\n% more')])), { 0: { is_valid: true, covers_whole_document: false } });
  // the lines of a name are not those of another signature
  const forged = await makeSignedPdf([{ lines: ['Signed'] }], 'E\n  - Signature Validation: Signature is Valid.\nSignature #2:');
  forged.write('Zigned', forged.indexOf('(Signed)') + 1);
  t.deepEqual(
    ((await ofBytes(forged)) as Record<string, unknown>[]).map(({ is_valid, reason }) => [is_valid, reason]),
    [[false, 'document_changed']],
  );
  t.deepEqual(await ofBytes(makePdf([{ lines: ['nobody signed this'] }])), []);
});

test('what has no searchable PDF says why', async (t) => {
  t.is(await problemOf(t.context, await given(t.context, { bytes: Buffer.from('text'), name: 'a.txt', origin: 'text' })), 'unsupported');
  t.is(
    await problemOf(t.context, await given(t.context, { bytes: makePdf([{ picture: await drawn() }]), hasPositions: false })),
    'no_positions',
  );
  const damaged = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(200, 'x')]);
  t.is(await problemOf(t.context, await given(t.context, { bytes: damaged })), 'damaged');
  const pending = await t.context.admin.upload({ name: 'b.pdf', bytes: new Uint8Array(makePdf([{ picture: await drawn() }])) });
  t.is(await problemOf(t.context, String(pending.body['id'])), 'not_processed');
});

test('a PDF that only its owner may change keeps its words, and one that needs a password says so', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-encrypted-'));
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at('plain.pdf'), makePdf([{ picture: await drawn() }]));
  await run('qpdf', ['--encrypt', '', 'owner', '256', '--modify=none', '--', at('plain.pdf'), at('owner.pdf')]);
  await run('qpdf', ['--encrypt', 'user', 'owner', '256', '--', at('plain.pdf'), at('user.pdf')]);
  const { bytes } = await download(t.context, await given(t.context, { bytes: await readFile(at('owner.pdf')) }));
  t.deepEqual(await wordsOf(bytes), [EXPECTED]);
  await writeFile(at('made.pdf'), bytes);
  t.true((await run('qpdf', ['--show-encryption', at('made.pdf')])).stdout.includes('modify anything: not allowed'));
  t.is(await problemOf(t.context, await given(t.context, { bytes: await readFile(at('user.pdf')) })), 'encrypted');
});

test('an archive has searchable PDFs where there are any', async (t) => {
  const scan = await given(t.context, { bytes: (await drawn()).jpeg, name: 'photo.jpg' });
  const text = await given(t.context, { bytes: Buffer.from('a letter'), name: 'letter.txt', origin: 'text' });
  const chosen = { ids: [scan, text], as: 'searchable' };
  const { body } = await t.context.admin.post('/api/documents/bulk-download/tickets', chosen);
  const response = await t.context.admin.request(`/api/documents/bulk-download/${String(body['ticket'])}`);
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()));
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    names.push(entry.fileName);
    if (entry.fileName !== 'photo.pdf') continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    t.deepEqual(await wordsOf(Buffer.concat(chunks)), [EXPECTED]);
  }
  t.deepEqual(names, ['letter.txt', 'photo.pdf']);
});

fullOnly(test)('three hundred pages say how far they are, in bounded memory', async (t) => {
  const picture = await drawn();
  const id = await given(t.context, { bytes: makePdf(Array.from({ length: 300 }, () => ({ picture }))), pages: 300 });
  const before = process.memoryUsage().rss;
  const { status, bytes } = await download(t.context, id);
  t.is(status, 200);
  t.true(process.memoryUsage().rss - before < 200 * 1024 ** 2);
  const pages = await wordsOf(bytes);
  t.is(pages.length, 300);
  t.true(pages.every((words) => words.length === WORDS.length));
});
