import { connect } from 'node:net';
import { filesBelow } from '../../support/files-below.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ MAX_FILE_SIZE_MB: '1', ALLOWED_FILE_TYPES: 'pdf,txt,png' });

const PATH = '/api/documents/bulk-upload';
const MEGABYTE = 1024 ** 2;

interface Part {
  readonly name: string;
  readonly content: string;
}

let count = 0;
const note = (words = 'a note'): Part => {
  count += 1;
  return { name: `note-${count}.txt`, content: `${words} ${count}` };
};

type Body = Record<string, unknown> & {
  uploaded: number;
  failed: number;
  documents: { id: string; filename: string; labels: string[]; ocr_language: string; status: string }[];
  errors: { index: number; filename: string; error: { code: string; message: string; details: Record<string, unknown> } }[];
  error: { code: string; details: Record<string, unknown> };
};

/** Sends files, and the fields behind them. */
const send = async ({ admin }: RunningApi, files: readonly Part[], fields: Readonly<Record<string, string>> = {}, field = 'files') => {
  const form = new FormData();
  for (const { name, content } of files) form.append(field, new Blob([content]), name);
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = await admin.request(PATH, { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as Body };
};

const { promise: api, resolve: tellApi } = Promise.withResolvers<RunningApi>();
test.beforeEach((t) => tellApi(t.context));

const countDocuments = async ({ database }: RunningApi, filenames: readonly string[]): Promise<number> =>
  (await database.pool.query<{ n: number }>('select count(*)::int as n from documents where filename = any($1)', [filenames])).rows[0]?.n ??
  -1;

const waitingFiles = async ({ folder }: RunningApi): Promise<string[]> =>
  (await filesBelow(folder)).filter((name) => /te?mp\/[0-9a-f-]{36}$/.test(name));

test.after('no file waits in the temporary folder any more, whatever became of its form', async (t) => {
  t.deepEqual(await waitingFiles(await api), []);
});

test('several files become documents, each with its job, in the order they were sent', async (t) => {
  const files = [note(), note(), note()];
  const { status, body } = await send(t.context, files);
  t.is(status, 201);
  t.like(body, { uploaded: 3, failed: 0, errors: [] });
  t.deepEqual(
    body.documents.map(({ filename, status: state }) => [filename, state]),
    files.map(({ name }) => [name, 'pending']),
  );
  const { rows } = await t.context.database.pool.query('select 1 from ocr_jobs where document_id = any($1)', [
    body.documents.map(({ id }) => id),
  ]);
  t.is(rows.length, 3);
});

test('a bad file fails by itself, with what an upload of it alone would have answered', async (t) => {
  const known = note();
  const first = await send(t.context, [known]);
  const good = [note(), note()];
  const { status, body } = await send(t.context, [
    good[0] ?? note(),
    { name: 'empty.txt', content: '' },
    { name: 'program.exe', content: 'MZ' },
    { name: 'large.txt', content: 'x'.repeat(MEGABYTE + 1) },
    { name: 'picture.pdf', content: '\x89PNG\r\n\x1a\n0000' },
    { ...known, name: 'again.txt' },
    good[1] ?? note(),
  ]);
  t.is(status, 201);
  t.is(body.uploaded, 2);
  t.is(body.failed, 5);
  t.deepEqual(
    body.documents.map(({ filename }) => filename),
    good.map(({ name }) => name),
  );
  t.deepEqual(
    body.errors.map(({ index, filename, error }) => [index, filename, error.code, error.details['reason']]),
    [
      [1, 'empty.txt', 'VALIDATION_ERROR', 'empty'],
      [2, 'program.exe', 'VALIDATION_ERROR', 'unknown_type'],
      [3, 'large.txt', 'VALIDATION_ERROR', 'too_large'],
      [4, 'picture.pdf', 'VALIDATION_ERROR', 'type_mismatch'],
      [5, 'again.txt', 'DUPLICATE_RESOURCE', 'duplicate_file'],
    ],
  );
  t.is(body.errors.at(-1)?.error.details['document_id'], first.body.documents[0]?.id);
  t.true(body.errors.every(({ error }) => error.message !== ''));
});

test('the same file twice in one form is one document', async (t) => {
  const file = note();
  const { body } = await send(t.context, [file, { ...file, name: 'twin.txt' }]);
  t.like(body, { uploaded: 1, failed: 1, errors: [{ index: 1, filename: 'twin.txt', error: { code: 'DUPLICATE_RESOURCE' } }] });
});

test('where no file became a document the answer is an error of their kind, with the reason of each', async (t) => {
  const refused = await send(t.context, [{ name: 'a.exe', content: 'MZ' }]);
  t.is(refused.status, 400);
  t.like(refused.body.error, { code: 'VALIDATION_ERROR', details: { reason: 'no_file_imported', failed: 1 } });
  const errors = refused.body.error.details['errors'] as Record<string, unknown>[];
  t.like(errors, [{ index: 0, filename: 'a.exe', error: { code: 'VALIDATION_ERROR' } }]);
  const known = note('known already');
  await send(t.context, [known]);
  t.is((await send(t.context, [known])).status, 409);
  t.is((await send(t.context, [known, { name: 'b.exe', content: 'MZ' }])).status, 400, 'several kinds');
});

test('ten files of the largest size are taken, an eleventh is refused and nothing of the form is kept', async (t) => {
  const full = (): Part => {
    const { name, content } = note('full');
    return { name, content: content.padEnd(MEGABYTE, '.') };
  };
  const ten = Array.from({ length: 10 }, full);
  t.like((await send(t.context, ten)).body, { uploaded: 10, failed: 0 });
  const eleven = Array.from({ length: 11 }, () => note('eleven'));
  const { status, body } = await send(t.context, eleven);
  t.is(status, 400);
  t.is(body.error.code, 'VALIDATION_ERROR');
  t.is(body.error.details['limit'], 10);
  t.is(
    await countDocuments(
      t.context,
      eleven.map(({ name }) => name),
    ),
    0,
  );
});

test('default labels and reading wishes behind the files count for each of them', async (t) => {
  const id = '019eb1f0-1111-7000-8000-000000000002';
  await t.context.database.pool.query("insert into labels (id, name, color) values ($1, 'Inbox', '#ff0000')", [id]);
  const { body } = await send(t.context, [note(), note()], { default_labels: id, language: 'deu', ocr_enabled: 'false' });
  t.is(body.uploaded, 2);
  for (const document of body.documents) t.like(document, { labels: ['Inbox'], ocr_language: 'deu' });
});

test('a form that is wrong itself is 400, and nothing of it is kept', async (t) => {
  const files = [note('wrong'), note('wrong')];
  for (const [what, fields, field] of [
    ['a label that is no id', { default_labels: 'urgent' }, 'files'],
    ['a label that does not exist', { default_labels: '019eb1f0-0000-7000-8000-000000000000' }, 'files'],
    ['a language that is none', { language: '../etc' }, 'files'],
    ['an unknown field', { title: 'x' }, 'files'],
    ['another field for the files', {}, 'file'],
  ] as const) {
    const { status, body } = await send(t.context, files, fields, field);
    t.is(status, 400, what);
    t.is(body.error.code, 'VALIDATION_ERROR', what);
  }
  t.is((await send(t.context, [], { language: 'eng' })).status, 400, 'no file');
  t.is((await t.context.admin.post(PATH, { files: [] })).status, 400, 'no form');
  t.is(
    await countDocuments(
      t.context,
      files.map(({ name }) => name),
    ),
    0,
  );
});

test('more than ten full files can weigh is refused before it is read', async (t) => {
  const { status, body } = await send(t.context, [{ name: 'enormous.txt', content: 'x'.repeat(13 * MEGABYTE) }]);
  t.is(status, 400);
  t.is(body.error.details['reason'], 'too_large');
});

test.serial('a form that breaks off in the middle of its second file keeps nothing', async (t) => {
  const { anyone, admin } = t.context;
  const { hostname, port } = new URL(admin.url);
  const { body } = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${String(body['token'])}\r\nContent-Length: 900000\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n\r\n${part('whole.txt')}whole\r\n${part('cut.txt')}${'x'.repeat(100_000)}`,
  );
  await waitFor(async () => (await waitingFiles(t.context)).length === 2, { description: 'both files to arrive', limitMs: 20_000 });
  socket.destroy();
  await waitFor(async () => (await waitingFiles(t.context)).length === 0, { description: 'the files to be removed', limitMs: 20_000 });
  t.is(await countDocuments(t.context, ['whole.txt', 'cut.txt']), 0);
});
