import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { type Answer, ApiClient, drawScan, drawTiff, makePdf, makeSignedPdf } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { openDocumentWorker } from '../../support/document-worker.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { lookInto, worstShift } from '../../support/searchable-pdf.ts';

const test = testWithApi({ VERSIONS_KEEP: '3', ALLOWED_FILE_TYPES: 'pdf,txt,tiff' });
const run = promisify(execFile);

interface ShownWord {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const upload = async (client: ApiClient, bytes: Uint8Array, name = 'stack.pdf'): Promise<string> => {
  const { status, body } = await client.upload({ name, bytes: new Uint8Array(bytes) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};

/** Of a document that was processed with one line of text on each of its pages. */
const given = async (
  { admin, database: { db } }: RunningApi,
  texts: readonly string[],
  { client = admin, bytes = makePdf(texts.map((text) => ({ lines: [text] }))), name = 'stack.pdf' } = {},
): Promise<string> => {
  const id = await upload(client, bytes, name);
  await savePages(
    db,
    id,
    texts.map((content, at) => ({ page: at + 1, content, confidence: 0.75, origin: 'ocr', language: 'eng' })),
  );
  await db.update(documents).set({ status: 'completed', pageCount: texts.length }).where(eq(documents.id, id));
  await db.execute(`delete from ocr_jobs where document_id = '${id}'`);
  return id;
};

const edit = (client: ApiClient, id: string, operations: readonly unknown[], rest: Record<string, unknown> = {}): Promise<Answer> =>
  client.post(`/api/documents/${id}/pages/edit`, { operations, ...rest });

const pagesOf = async (client: ApiClient, id: string) =>
  (await client.get(`/api/documents/${id}/pages`)).body['pages'] as { content: string; confidence: number; origin: string }[];

const textsOf = async (client: ApiClient, id: string): Promise<string[]> =>
  (await pagesOf(client, id)).map(({ content }) => content.trim());

const wordsOf = async (client: ApiClient, id: string, page: number) =>
  (await client.get(`/api/documents/${id}/pages/${page}/words`)).body as { width: number; height: number; words: ShownWord[] };

const fileOf = async (client: ApiClient, id: string, path = 'download'): Promise<Buffer> =>
  Buffer.from(await (await client.request(`/api/documents/${id}/${path}`)).arrayBuffer());

/** What pdftotext finds in the file of a document, page by page. */
const shownIn = async (client: ApiClient, id: string) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-edited-'));
  const path = join(folder.path, 'file.pdf');
  await writeFile(path, await fileOf(client, id));
  return (await lookInto(path)).pages;
};

const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;
const condition = (answer: Answer) => `${answer.status} ${String(conditionOf(answer.body))}`;

const INVOICE = ['ACME Trading Ltd', 'Invoice number: RE-2026-0815', 'Invoice date: 3 February 2026', 'Total: 119.00 EUR'];

// the two that process what waits in the queue run alone
test.serial('pages are turned, moved and deleted with their words and facts, and no page is read again', async (t) => {
  const { admin, database } = t.context;
  await using worker = await openDocumentWorker(t.context);
  const scan = await drawScan(['Scanned delivery', 'of garden chairs']);
  const id = await upload(
    admin,
    makePdf([
      { lines: ['A cover letter', 'with two lines'] },
      { lines: INVOICE },
      { picture: scan },
      { lines: ['Terms and conditions apply'] },
      { lines: ['A blank back'] },
    ]),
  );
  t.deepEqual((await worker.processAll()).get(id)?.toSorted(), [1, 2, 3, 4, 5]);
  const before = await pagesOf(admin, id);
  t.is(before[2]?.origin, 'ocr');
  const facts = (await admin.get(`/api/documents/${id}/facts`)).body['facts'] as Record<string, unknown>[];
  const number = facts.find(({ kind }) => kind === 'invoice_number');
  t.like(number, { value: 'RE-2026-0815', page: 2 });
  await admin.post(`/api/documents/${id}/facts/${String(number?.['id'])}/choose`, {});
  const scanned = await wordsOf(admin, id, 3);

  const answer = await edit(
    admin,
    id,
    [
      { op: 'rotate', pages: [1], by: 270 },
      { op: 'rotate', pages: [2], by: 90 },
      { op: 'rotate', pages: [3, 4], by: 180 },
      { op: 'delete', pages: [5] },
      { op: 'move', pages: [2], to: 4 },
    ],
    { version: 1 },
  );
  t.is(answer.status, 200);
  t.like(answer.body, { id, version: 2, status: 'pending', page_count: 4, filename: 'stack.pdf', mime_type: 'application/pdf' });
  const order = [1, 3, 4, 2];

  const check = async (when: string) => {
    const pages = await pagesOf(admin, id);
    t.deepEqual(
      pages.map(({ content, confidence, origin }) => ({ content, confidence, origin })),
      order.map((page) => {
        const { content, confidence, origin } = before[page - 1] as (typeof before)[number];
        return { content, confidence, origin };
      }),
      when,
    );
    const shown = await shownIn(admin, id);
    for (const page of [1, 3, 4]) {
      const { width, height, words } = await wordsOf(admin, id, page);
      t.is(words.length, shown[page - 1]?.words.length ?? -1, `${when}, page ${page}`);
      const placed = words.map(({ text, x, y, width: wide, height: high }) => ({
        text,
        box: { x, y, width: wide, height: high },
        confidence: 1,
      }));
      t.true(worstShift(shown[page - 1], { width, height }, placed) < 2, `${when}, page ${page}`);
    }
    // the scan has no text layer to compare with: half a turn and half a turn are none
    const turned = await wordsOf(admin, id, 2);
    t.deepEqual(
      turned.words.map(({ text, x, y, width, height }) => [text, 1 - x - width, 1 - y - height, width, height]),
      scanned.words.map(({ text, x, y, width, height }) => [text, x, y, width, height]),
    );
    const moved = ((await admin.get(`/api/documents/${id}/facts`)).body['facts'] as Record<string, unknown>[]).find(
      ({ kind }) => kind === 'invoice_number',
    );
    t.like(moved, { id: number?.['id'], value: 'RE-2026-0815', page: 4, is_chosen: true, is_confirmed: true }, when);
    const box = moved?.['box'] as ShownWord;
    const word = (await wordsOf(admin, id, 4)).words.find(({ text }) => text === 'RE-2026-0815');
    for (const side of ['x', 'y', 'width', 'height'] as const) t.true(Math.abs(box[side] - (word?.[side] ?? 9)) < 0.01, `${when}, ${side}`);
  };
  await check('at once');
  t.deepEqual([...(await worker.processAll())], [[id, []]], 'no page was read');
  await check('when it was processed');
  t.like((await admin.get(`/api/documents/${id}`)).body, { status: 'completed', page_count: 4, version: 2 });
  t.deepEqual(await admin.find('"garden chairs"'), [id]);
  t.deepEqual(await admin.find('"blank back"'), []);

  const { body: earlier } = await admin.get(`/api/documents/${id}/versions/1/pages`);
  t.deepEqual(
    (earlier['pages'] as typeof before).map(({ content }) => content),
    before.map(({ content }) => content),
  );
  const { rows: events } = await database.pool.query(
    `select data -> 'changes' as changes from events where type = 'document_updated' and document_id = $1 and data -> 'changes' ? 'version'`,
    [id],
  );
  t.like(events, [{ changes: { version: 2, status: 'pending', page_count: 4, sha256: answer.body['sha256'] } }]);
  const { rows: audit } = await database.pool.query(
    `select details from audit_log where action = 'document.pages_edited' and subject_id = $1`,
    [id],
  );
  t.like(audit, [{ details: { version: 2, sha256: answer.body['sha256'], operations: ['rotate', 'delete', 'move'] } }]);

  t.is((await admin.post(`/api/documents/${id}/versions/1/restore`, {})).status, 200);
  t.deepEqual(
    await textsOf(admin, id),
    before.map(({ content }) => content.trim()),
    'nothing of the version before was lost',
  );
});

fullOnly(test)('pages of other documents are added, also of pictures, and those documents stay as they are', async (t) => {
  const { admin } = t.context;
  const id = await given(t.context, ['first', 'second']);
  const other = await given(t.context, ['other one', 'other two', 'other three']);
  const tiff = await given(t.context, ['fax one', 'fax two'], { bytes: await drawTiff([['fax one'], ['fax two']]), name: 'fax.tiff' });
  const { status, body } = await edit(admin, id, [
    { op: 'append', document_id: other, pages: [3, 1] },
    { op: 'append', document_id: tiff },
    { op: 'append', document_id: id, pages: [1] },
    { op: 'rotate', pages: [1], by: 90 },
  ]);
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { page_count: 7, version: 2 });
  t.deepEqual(await textsOf(admin, id), ['first', 'second', 'other three', 'other one', 'fax one', 'fax two', 'first']);
  const shown = await shownIn(admin, id);
  t.deepEqual(
    shown.map(({ words }) => words.map(({ text }) => text).join(' ')),
    ['first', 'second', 'other three', 'other one', '', '', 'first'],
  );
  t.like((await admin.get(`/api/documents/${other}`)).body, { version: 1, status: 'completed', page_count: 3 });
  t.deepEqual(await textsOf(admin, other), ['other one', 'other two', 'other three']);
  t.true((await admin.find('"other three"')).includes(id));

  const { body: fax } = await edit(admin, tiff, [{ op: 'move', pages: [2], to: 1 }]);
  t.like(fax, { filename: 'fax.pdf', mime_type: 'application/pdf', version: 2, page_count: 2 });
  t.is((await fileOf(admin, tiff)).subarray(0, 5).toString(), '%PDF-');
  t.deepEqual(await textsOf(admin, tiff), ['fax two', 'fax one']);
});

fullOnly(test)('what changes nothing makes no version, and of too many the oldest version goes', async (t) => {
  const { admin, database } = t.context;
  const id = await given(t.context, ['one of three', 'two of three', 'three of three']);
  const same = await edit(admin, id, [
    { op: 'move', pages: [1], to: 3 },
    { op: 'move', pages: [3], to: 1 },
  ]);
  t.like(same, { status: 200, body: { version: 1, status: 'completed' } });
  for (let turn = 2; turn <= 6; turn += 1) {
    t.like(await edit(admin, id, [{ op: 'rotate', pages: [1], by: 90 }]), { status: 200, body: { version: turn } });
    await database.db.update(documents).set({ status: 'completed' }).where(eq(documents.id, id));
  }
  const { rows } = await database.pool.query('select version from document_versions where document_id = $1 order by version', [id]);
  t.deepEqual(rows, [{ version: 3 }, { version: 4 }, { version: 5 }]);
});

test('what cannot be edited is refused, and nothing changes', async (t) => {
  const { admin, database } = t.context;
  const turn = [{ op: 'rotate', pages: [1], by: 90 }];
  const id = await given(t.context, ['refused one', 'refused two']);
  t.is(condition(await edit(admin, id, turn, { version: 2 })), '409 VERSION_CHANGED');
  const beyond = await edit(admin, id, [...turn, { op: 'delete', pages: [3] }]);
  t.is(beyond.status, 400);
  t.like(detailsOf(beyond), { reason: 'unknown_pages', operation: 1, page: 3, page_count: 2 });
  t.like(detailsOf(await edit(admin, id, [{ op: 'delete', pages: [1, 2] }])), { reason: 'no_pages_left' });
  t.is(condition(await edit(admin, id, [{ op: 'append', document_id: '0190f0f0-0000-7000-8000-000000000000' }])), '404 DOCUMENT_NOT_FOUND');

  const text = await given(t.context, ['a note'], { bytes: Buffer.from('a note'), name: 'note.txt' });
  for (const answer of [await edit(admin, text, turn), await edit(admin, id, [{ op: 'append', document_id: text }])]) {
    t.is(condition(answer), '409 PAGES_NOT_EDITABLE');
    t.like(detailsOf(answer), { document_id: text, problem: 'unsupported' });
  }
  const waiting = await upload(admin, makePdf([{ lines: ['not processed'] }]));
  for (const answer of [await edit(admin, waiting, turn), await edit(admin, id, [{ op: 'append', document_id: waiting }])])
    t.is(condition(answer), '409 DOCUMENT_NOT_PROCESSED');

  const imported = await given(t.context, ['all of its text'], {
    bytes: makePdf([{ lines: ['imported one'] }, { lines: ['imported two'] }]),
  });
  t.like(detailsOf(await edit(admin, imported, turn)), { reason: 'pages_not_editable', problem: 'page_count' });

  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-encrypted-'));
  const [plain, locked] = [join(folder.path, 'plain.pdf'), join(folder.path, 'locked.pdf')];
  await writeFile(plain, makePdf([{ lines: ['secret'] }]));
  await run('qpdf', ['--encrypt', 'user', 'owner', '256', '--', plain, locked]);
  const encrypted = await given(t.context, ['secret'], { bytes: await readFile(locked) });
  t.like(detailsOf(await edit(admin, encrypted, turn)), { reason: 'pages_not_editable', problem: 'encrypted' });

  const twin = await given(t.context, ['twin one', 'twin two']);
  const copy = await fileOf(admin, String((await edit(admin, twin, [{ op: 'delete', pages: [1] }])).body['id']));
  await admin.post(`/api/documents/${twin}/versions/1/restore`, {});
  await database.db.update(documents).set({ status: 'completed' }).where(eq(documents.id, twin));
  const taken = await upload(admin, copy, 'copy.pdf');
  const duplicate = await edit(admin, twin, [{ op: 'delete', pages: [1] }]);
  t.is(duplicate.status, 409);
  t.like(detailsOf(duplicate), { reason: 'duplicate_file', document_id: taken });

  for (const unchanged of [id, text]) t.like((await admin.get(`/api/documents/${unchanged}`)).body, { version: 1, status: 'completed' });
  t.deepEqual(await textsOf(admin, twin), ['twin one', 'twin two']);
});

test.serial('pages are split into documents, with their words, facts and labels, and no page is read again', async (t) => {
  const { admin } = t.context;
  await using worker = await openDocumentWorker(t.context);
  const number = 'Invoice number: RE-2026-4711';
  const id = await upload(admin, makePdf([{ lines: ['A cover'] }, { lines: ['ACME Trading Ltd', number] }, { lines: ['A last page'] }]));
  await worker.processAll();
  const { body: label } = await admin.post('/api/labels', { name: 'Stack', color: '#112233' });
  await admin.post(`/api/labels/${String(label['id'])}/assign`, { document_ids: [id] });
  const numberIn = async (document: string) =>
    ((await admin.get(`/api/documents/${document}/facts`)).body['facts'] as Record<string, unknown>[]).find(
      ({ kind }) => kind === 'invoice_number',
    );
  const before = await numberIn(id);
  await admin.post(`/api/documents/${id}/facts/${String(before?.['id'])}/choose`, {});

  const { status, body } = await edit(admin, id, [
    { op: 'rotate', pages: [3], by: 180 },
    { op: 'move', pages: [3], to: 2 },
    { op: 'split', pages: [2] },
  ]);
  t.is(status, 200, JSON.stringify(body));
  const [first, second] = body['documents'] as Record<string, unknown>[];
  t.like(first, { id, version: 2, page_count: 1, status: 'pending', labels: ['Stack'] });
  t.like(second, { version: 1, page_count: 2, status: 'pending', labels: ['Stack'] });
  const part = String(second?.['id']);
  const check = async (when: string) => {
    t.deepEqual(await textsOf(admin, id), ['A cover'], when);
    t.deepEqual(await textsOf(admin, part), ['A last page', `ACME Trading Ltd\n${number}`], when);
    t.is(await numberIn(id), undefined, when);
    t.like(await numberIn(part), { id: before?.['id'], value: 'RE-2026-4711', page: 2, is_confirmed: true }, when);
    const [shown] = await shownIn(admin, part);
    const { width, height, words } = await wordsOf(admin, part, 1);
    const placed = words.map(({ text, x, y, width: wide, height: high }) => ({
      text,
      box: { x, y, width: wide, height: high },
      confidence: 1,
    }));
    t.true(worstShift(shown, { width, height }, placed) < 2, when);
    t.deepEqual(await admin.find('"a last page"'), [part], when);
  };
  await check('at once');
  t.deepEqual(new Map(await worker.processAll()), new Map([id, part].map((one) => [one, []])), 'no page was read');
  await check('when they were processed');

  const { body: made } = await admin.post('/api/keys', { name: 'changes', scope: ['documents.read', 'documents.update'] });
  const refused = await t.context.anyone.request(`/api/documents/${part}/pages/edit`, {
    method: 'POST',
    headers: { 'x-api-key': String(made['key']), 'content-type': 'application/json' },
    body: JSON.stringify({ operations: [{ op: 'split', pages: [2] }] }),
  });
  t.is(refused.status, 403, 'new documents are made by those who may make some');
  t.like(detailsOf(await edit(admin, part, [{ op: 'split', pages: [1] }])), { reason: 'empty_part' });
});

test('a signed PDF is edited only where the loss of its signature is confirmed, and the signed file stays', async (t) => {
  const { admin } = t.context;
  const signed = await makeSignedPdf([{ lines: ['signed one'] }, { lines: ['signed two'] }], 'Anna');
  const id = await given(t.context, ['signed one', 'signed two'], { bytes: signed });
  const turn = [{ op: 'rotate', pages: [2], by: 180 }];
  const refused = await edit(admin, id, turn);
  t.is(condition(refused), '409 DOCUMENT_IS_SIGNED');
  t.deepEqual(await fileOf(admin, id), signed);
  t.like(await edit(admin, id, turn, { break_signature: true }), { status: 200, body: { version: 2 } });
  t.deepEqual((await admin.get(`/api/documents/${id}/signatures`)).body, { data: [] });
  t.deepEqual(await fileOf(admin, id, 'versions/1/download'), signed);
});

test('pages of a document that one may not read cannot be added: it does not exist', async (t) => {
  const { admin, database } = t.context;
  await using api = await startApiWithPermissions(database, { hermit: ['documents.read.own', 'documents.create', 'documents.update'] });
  await admin.register('hermit', 'editor');
  const hermit = await new ApiClient(api.url).login('hermit');
  const theirs = await given(t.context, ['kept from the hermit']);
  const mine = await given(t.context, ['of the hermit'], { client: hermit });
  const refused = await edit(hermit, mine, [{ op: 'append', document_id: theirs }]);
  t.is(condition(refused), '404 DOCUMENT_NOT_FOUND');
  t.like((await hermit.get(`/api/documents/${mine}`)).body, { version: 1, page_count: 1 });
});

test('only who may change the document edits it', async (t) => {
  const { admin } = t.context;
  const anna = await admin.register('anna-pages', 'editor');
  const vera = await admin.register('vera-pages', 'viewer');
  const id = await given(t.context, ['of anna'], { client: anna });
  const turn = [{ op: 'rotate', pages: [1], by: 90 }];
  t.is((await edit(vera, id, turn)).status, 403);
  t.like(await edit(anna, id, turn), { status: 200, body: { version: 2 } });
});

fullOnly(test)('two who append the documents of each other do not wait in a circle', async (t) => {
  const { admin } = t.context;
  const ids = await Promise.all([1, 2].map((n) => given(t.context, [`circle ${n} a`, `circle ${n} b`])));
  const [one = '', two = ''] = ids;
  const answers = await Promise.all([
    edit(admin, one, [{ op: 'append', document_id: two }]),
    edit(admin, two, [{ op: 'append', document_id: one }]),
  ]);
  t.true(answers.some(({ status }) => status === 200));
  for (const answer of answers)
    t.true(answer.status === 200 || ['VERSION_CHANGED', 'DOCUMENT_NOT_PROCESSED'].includes(String(conditionOf(answer.body))));
});

fullOnly(test)('five hundred pages are turned and moved in one go', async (t) => {
  const { admin } = t.context;
  const texts = Array.from({ length: 500 }, (_, at) => `page ${at + 1} of a long one`);
  const id = await given(t.context, texts);
  const numbers = texts.map((_, at) => at + 1);
  const startedMs = performance.now();
  const { status, body } = await edit(admin, id, [
    { op: 'rotate', pages: numbers, by: 90 },
    { op: 'move', pages: numbers.toReversed(), to: 1 },
  ]);
  t.log(`${Math.round(performance.now() - startedMs)} ms`);
  t.is(status, 200);
  t.is(body['page_count'], 500);
  const { body: last } = await admin.get(`/api/documents/${id}/pages?from=500&to=500`);
  t.like(last, { total: 500, pages: [{ content: texts[0] }] });
  t.deepEqual(
    (await shownIn(admin, id))
      .at(-1)
      ?.words.map(({ text }) => text)
      .toSorted(),
    texts[0]?.split(' ').toSorted(),
  );
});
