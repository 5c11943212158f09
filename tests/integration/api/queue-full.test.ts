import { request } from 'node:http';
import { healthBody, makeProblem } from '@sheaf/contract/operations';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ OCR_QUEUE_SIZE: '2' });

const upload = ({ admin }: RunningApi, words: string) => admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode(words) });

const signIn = async ({ anyone }: RunningApi): Promise<string> =>
  String((await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' })).body['token']);

/** Announces an upload, sends nothing of it, and answers what is said all the same. */
const announce = (url: string, path: string, token: string): Promise<{ status: number; retryAfter: string | undefined; code: unknown }> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=x', 'content-length': '1000000' },
    });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], code: conditionOf(body) });
        asked.destroy();
      });
    });
    asked.flushHeaders();
  });

test('while OCR_QUEUE_SIZE documents wait, uploads are answered 503 before their body is read, and taken when fewer wait', async (t) => {
  const { database, anyone } = t.context;
  for (const words of ['the first', 'the second']) t.is((await upload(t.context, words)).status, 201);
  const third = await upload(t.context, 'the third');
  t.is(third.status, 503);
  t.is(third.headers.get('retry-after'), '10');
  t.like(third.body['error'], { code: 'SERVICE_UNAVAILABLE', details: { reason: 'queue_full', limit: 2 } });
  const told = await waitFor(
    async () => {
      const body = healthBody.parse((await anyone.get('/api/health')).body);
      return body.messages['ocr_queue'] !== undefined && body;
    },
    { description: 'the full queue to be told', limitMs: 20_000 },
  );
  t.deepEqual([told.status, told.components.ocr_engine], ['warning', 'warning']);
  const problem = makeProblem('ocr_queue_full', { limit: 2 });
  t.deepEqual(told.problems['ocr_queue'], [problem]);
  const page = await (await anyone.request('/status')).text();
  t.regex(page, /^ocr queue +warning$/m);
  t.true(page.includes(`! ocr queue: ${problem.message}`), page);
  t.is((await anyone.get('/ready')).status, 200, 'what is there already can be read');
  const token = await signIn(t.context);
  for (const path of ['/api/documents/upload', '/api/documents/bulk-upload'])
    t.deepEqual(await announce(anyone.url, path, token), { status: 503, retryAfter: '10', code: 'QUEUE_FULL' }, path);
  await database.pool.query(`update ocr_jobs set status = 'failed', completed_at = now()`);
  const taken = await waitFor(
    async () => {
      const answer = await upload(t.context, 'the third');
      return answer.status !== 503 && answer;
    },
    { description: 'room in the queue', limitMs: 20_000 },
  );
  t.is(taken.status, 201);
  await waitFor(async () => healthBody.parse((await anyone.get('/api/health')).body).messages['ocr_queue'] === undefined, {
    description: 'the room to be told',
    limitMs: 20_000,
  });
});
