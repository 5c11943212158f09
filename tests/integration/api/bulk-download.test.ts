import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { documentKey } from '@sheaf/storage';
import type { ApiClient } from '@sheaf/testkit';
import { fromBufferPromise } from 'yauzl';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();

const PATH = '/api/documents/bulk-download';
const ABSENT = '019eb1f0-0000-7000-8000-000000000000';

let count = 0;
const given = async (client: ApiClient, name = 'paper.txt', text?: string): Promise<{ id: string; sha256: string; text: string }> => {
  count += 1;
  const words = text ?? `the text of paper ${count}`;
  const { body } = await client.upload({ name, bytes: new TextEncoder().encode(words) });
  return { id: String(body['id']), sha256: String(body['sha256']), text: words };
};

const post = (client: ApiClient, body: unknown): Promise<Response> =>
  client.request(PATH, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** The texts of the files in an archive, by their names, in their order. */
const unpack = async (response: Response): Promise<[name: string, text: string][]> => {
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()), { validateEntrySizes: true });
  const files: [string, string][] = [];
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.push([entry.fileName, Buffer.concat(chunks).toString('utf8')]);
  }
  return files;
};

const reasonOf = (body: Record<string, unknown>) => (body['error'] as { details: Record<string, unknown> }).details['reason'];

const pathOf = ({ folder }: RunningApi, sha256: string): string => join(folder, 'uploads', documentKey(sha256));

test('the files come under their names, each name once', async (t) => {
  const { admin } = t.context;
  const papers = [await given(admin, 'letter.txt'), await given(admin, 'letter.txt'), await given(admin, 'Größe ✓.txt')];
  const response = await post(admin, { ids: papers.map(({ id }) => id) });
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'application/zip');
  t.regex(response.headers.get('content-disposition') ?? '', /^attachment; filename="documents-\d{4}-\d\d-\d\d\.zip"$/);
  t.is(response.headers.get('content-length'), null, 'its length is not known before it is made');
  const files = new Map(await unpack(response));
  t.deepEqual([...files.keys()], ['Größe ✓.txt', 'letter.txt', 'letter (2).txt']);
  t.deepEqual([...files.values()].toSorted(), papers.map(({ text }) => text).toSorted());
});

test('a filter selects what a list with it shows', async (t) => {
  const { admin } = t.context;
  const { body: label } = await admin.post('/api/labels', { name: 'To be taken along' });
  const papers = [await given(admin), await given(admin)];
  await given(admin);
  await admin.post('/api/documents/bulk', { ids: papers.map(({ id }) => id), action: 'add_labels', labels: [label['id']] });
  const files = await unpack(await post(admin, { filter: { label_ids: [label['id']] } }));
  t.deepEqual(files.map(([, text]) => text).toSorted(), papers.map(({ text }) => text).toSorted());
});

test('of files that are gone or damaged a text in the archive tells; the others come', async (t) => {
  const { admin } = t.context;
  const [gone, cut, whole] = [await given(admin, 'gone.txt'), await given(admin, 'cut.txt'), await given(admin, 'whole.txt')];
  await rm(pathOf(t.context, gone.sha256));
  await truncate(pathOf(t.context, cut.sha256), 3);
  const response = await post(admin, { ids: [gone.id, cut.id, whole.id] });
  t.is(response.status, 200);
  const files = await unpack(response);
  t.deepEqual(files[0], ['whole.txt', whole.text]);
  t.deepEqual(
    files.slice(1).map(([name]) => name),
    ['Missing files.txt'],
  );
  t.true(files[1]?.[1].includes(`${gone.id}  gone.txt`));
  t.true(files[1]?.[1].includes(`${cut.id}  cut.txt`));
  t.false(files[1]?.[1].includes('whole.txt'));
});

test('what one may not read does not exist, and both kinds of selection at once are refused', async (t) => {
  const { admin } = t.context;
  const { id } = await given(admin);
  for (const path of [PATH, `${PATH}/tickets`]) {
    const refused = await admin.post(path, { ids: [id, ABSENT] });
    t.is(refused.status, 404, path);
    t.is(conditionOf(refused.body), 'DOCUMENT_NOT_FOUND', path);
    t.is((await admin.post(path, { ids: [id], filter: {} })).status, 400, path);
    t.is((await admin.post(path, {})).status, 400, path);
    t.is((await admin.post(path, { ids: [id], action: 'delete' })).status, 400, path);
  }
});

test('more bytes than one archive may hold are refused before anything is sent', async (t) => {
  const { admin, database } = t.context;
  const { id } = await given(admin);
  await database.pool.query('update documents set size_bytes = 200::bigint * 1024 ^ 3 where id = $1', [id]);
  for (const path of [PATH, `${PATH}/tickets`]) {
    const { status, body } = await admin.post(path, { ids: [id] });
    t.is(status, 400);
    t.is(reasonOf(body), 'download_too_large');
  }
  await admin.delete(`/api/documents/${id}`);
});

test('a ticket gives its user the archive by a link, and nobody else', async (t) => {
  const { admin, anyone, database } = t.context;
  const { id, text } = await given(admin, 'by link.txt');
  const { status, body } = await admin.post(`${PATH}/tickets`, { ids: [id] });
  t.is(status, 201);
  t.like(body, { documents: 1, size_bytes: text.length });
  const link = `${PATH}/${String(body['ticket'])}`;
  t.deepEqual(await unpack(await admin.request(link)), [['by link.txt', text]]);
  t.deepEqual(await unpack(await admin.request(link)), [['by link.txt', text]], 'a browser may have to ask again');
  const head = await admin.request(link, { method: 'HEAD' });
  t.is(head.status, 200);
  t.is(head.headers.get('content-type'), 'application/zip');
  t.is((await anyone.get(link)).status, 401);
  const other = await admin.register('bulk-other', 'viewer');
  t.is((await other.get(link)).status, 404);
  await database.pool.query(
    "update one_time_tokens set expires_at = now() - interval '1 second' where purpose = 'download' and token_hash = encode(sha256($1::bytea), 'hex')",
    [Buffer.from(String(body['ticket']))],
  );
  const expired = await admin.get(link);
  t.is(expired.status, 404);
  t.is(reasonOf(expired.body), 'download_expired');
});

test('the link of a ticket works by cookie, which the request for it does only with its token', async (t) => {
  const { admin, anyone } = t.context;
  const { id, text } = await given(admin, 'by cookie.txt');
  await admin.register('bulk-cookie', 'viewer');
  const signedIn = await anyone.request('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'bulk-cookie', password: 'correct horse battery', cookie: true }),
  });
  const { csrf_token } = (await signedIn.json()) as { csrf_token: string };
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const ask = (headers: Record<string, string>): Promise<Response> =>
    anyone.request(`${PATH}/tickets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, ...headers },
      body: JSON.stringify({ ids: [id] }),
    });
  t.is((await ask({})).status, 403);
  const answer = await ask({ 'x-csrf-token': csrf_token });
  t.is(answer.status, 201);
  const { ticket } = (await answer.json()) as { ticket: string };
  t.deepEqual(await unpack(await anyone.request(`${PATH}/${ticket}`, { headers: { cookie } })), [['by cookie.txt', text]]);
});

test('the audit log tells who took how many', async (t) => {
  const { admin } = t.context;
  const papers = [await given(admin), await given(admin)];
  await (await post(admin, { ids: papers.map(({ id }) => id) })).arrayBuffer();
  const { body } = await admin.get('/api/audit?action=documents.downloaded&per_page=100');
  const details = (body['data'] as { details: { document_ids: string[] } }[]).map((entry) => entry.details);
  const entry = details.find(({ document_ids }) => document_ids.includes(papers[0]?.id ?? ''));
  t.like(entry, { documents: 2, size_bytes: papers.reduce((sum, { text }) => sum + text.length, 0) });
});

const LARGE_BYTES = 64 * 1024 * 1024;

test('a large archive is read no faster than it is taken, and no longer than somebody takes it', async (t) => {
  const { admin, database, folder } = t.context;
  const { id, sha256 } = await given(admin, 'large.bin.txt');
  await writeFile(pathOf(t.context, sha256), randomBytes(LARGE_BYTES), { mode: 0o600 });
  await database.pool.query('update documents set size_bytes = $2 where id = $1', [id, LARGE_BYTES]);
  const { body } = await admin.post(`${PATH}/tickets`, { ids: [id] });
  const { body: key } = await admin.post('/api/keys', { name: 'bulk', scope: ['documents.read'] });
  const before = process.memoryUsage();
  const request = get(`${admin.url}${PATH}/${String(body['ticket'])}`, { headers: { 'x-api-key': String(key['key']) } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  t.is(response.statusCode, 200);
  await once(response, 'readable');
  const openFiles = async (): Promise<boolean> => {
    const links = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return links.some((link) => link.startsWith(folder) && link.includes(sha256));
  };
  t.true(await openFiles(), 'it waits in the middle of the file');
  t.true(process.memoryUsage().arrayBuffers - before.arrayBuffers < LARGE_BYTES / 2);
  response.destroy();
  await waitFor(async () => !(await openFiles()), { description: 'the file to be closed', limitMs: 10_000 });
});
