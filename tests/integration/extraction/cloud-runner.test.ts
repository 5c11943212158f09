import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { type CloudPatience, CloudRunner, type EngineFailure, type OcrTask } from '@sheaf/extraction/testing/ocr';
import { makeGuardedFetch } from '@sheaf/outbound';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import sharp from 'sharp';
import { type Answer, type AzureReadStub, openAzureReadStub, sendError, sendStatus } from '../../support/azure-read-stub.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = anyTest as TestFn<{ folder: string; task: OcrTask }>;

const [WIDTH, HEIGHT] = [600, 400];
const PATIENCE: CloudPatience = { tries: 4, retryMs: { baseMs: 5, maxMs: 20 }, pollMs: { baseMs: 2, maxMs: 10 } };

test.beforeEach((t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-cloud-'));
  const imagePath = join(folder, 'page.pgm');
  writeFileSync(imagePath, Buffer.concat([Buffer.from(`P5\n${WIDTH} ${HEIGHT}\n255\n`), Buffer.alloc(WIDTH * HEIGHT, 200)]));
  const signal = new AbortController().signal;
  t.context = { folder, task: { imagePath, language: 'deu', dpi: 300, psm: 3, timeoutMs: 10_000, signal } };
});
test.afterEach.always((t) => rmSync(t.context.folder, { recursive: true, force: true }));

const runnerFor = ({ endpoint, key }: Pick<AzureReadStub, 'endpoint' | 'key'>, patience = PATIENCE, allowedNetworks = ['127.0.0.0/8']) =>
  new CloudRunner({
    endpoint,
    key: new Secret(key),
    fetch: makeGuardedFetch({ allowedNetworks, denyPrivate: false }, { userAgent: 'Sheaf' }),
    patience,
  });

/** Fails as told, and never with the key in its words. */
const failsWith = async (
  t: ExecutionContext<{ task: OcrTask }>,
  stub: AzureReadStub,
  reason: EngineFailure['reason'],
  words: RegExp,
  task: Partial<OcrTask> = {},
): Promise<void> => {
  const outcome = await runnerFor(stub).read({ ...t.context.task, ...task });
  if (outcome.ok || !('message' in outcome)) return t.fail(JSON.stringify(outcome));
  t.is(outcome.reason, reason);
  t.regex(outcome.message, words);
  t.false(outcome.message.includes(stub.key));
};

test('a page is handed in as a grey picture, waited for, and read into text, words and confidence', async (t) => {
  await using stub = await openAzureReadStub({ text: [['Rechnung 4711', 'vom 1. Mai'], ['Danke']], running: 2, confidence: 0.9 });
  const outcome = await runnerFor(stub).read(t.context.task);
  if (!outcome.ok) return t.fail(JSON.stringify(outcome));
  t.is(outcome.value.text, 'Rechnung 4711\nvom 1. Mai\n\nDanke');
  t.deepEqual(
    outcome.value.words.map((word) => word.text),
    ['Rechnung', '4711', 'vom', '1.', 'Mai', 'Danke'],
  );
  t.true(Math.abs(outcome.value.confidence - 0.9) < 1e-9);
  t.is(stub.requests.length, 4);
  const [sent] = stub.submitted;
  t.is(sent?.url.searchParams.get('locale'), 'de');
  t.is(sent?.url.searchParams.get('stringIndexType'), 'utf16CodeUnit');
  t.is(sent?.headers['content-type'], 'application/octet-stream');
  const { format, width, height, channels } = await sharp(sent?.body).metadata();
  t.deepEqual({ format, width, height, channels }, { format: 'jpeg', width: WIDTH, height: HEIGHT, channels: 1 });
});

test('words that stand without a space between them stay so', async (t) => {
  await using stub = await openAzureReadStub();
  stub.onLook.push((response) => {
    const words = ['你', '好'].map((content, offset) => ({ content, confidence: 0.8, span: { offset, length: 1 } }));
    const page = { words, lines: [{ content: '你好', spans: [{ offset: 0, length: 2 }] }] };
    response.end(JSON.stringify({ status: 'succeeded', analyzeResult: { pages: [page] } }));
  });
  const outcome = await runnerFor(stub).read(t.context.task);
  t.is(outcome.ok ? outcome.value.text : '', '你好');
  t.is(outcome.ok ? outcome.value.words.length : 0, 2);
});

test('a page with nothing on it is read as that', async (t) => {
  await using stub = await openAzureReadStub({ text: [] });
  const outcome = await runnerFor(stub).read(t.context.task);
  t.deepEqual(outcome, { ok: true, value: { text: '', confidence: 0, words: [], lines: [] } });
});

test('several languages are left to the service, and a hint it does not take is left out', async (t) => {
  await using stub = await openAzureReadStub();
  await runnerFor(stub).read({ ...t.context.task, language: 'deu+eng' });
  t.is(stub.submitted[0]?.url.searchParams.get('locale'), null);
  stub.onSubmit.push((response) => sendError(response, 400, 'InvalidArgument', 'The locale is not supported.'));
  const outcome = await runnerFor(stub).read(t.context.task);
  t.true(outcome.ok);
  t.is(stub.submitted[1]?.url.searchParams.get('locale'), null);
});

test('a busy service is asked again, after the time it names', async (t) => {
  await using stub = await openAzureReadStub();
  const busy: Answer = (response) => sendError(response, 429, '429', 'Too many requests.', { 'retry-after': '1' });
  stub.onSubmit.push((response) => sendError(response, 500, 'InternalServerError', 'x'), busy);
  stub.onLook.push((response) => sendError(response, 503, 'ServiceUnavailable', 'x'));
  const started = performance.now();
  t.true((await runnerFor(stub).read(t.context.task)).ok);
  t.true(performance.now() - started >= 1_000);
  t.deepEqual(
    stub.requests.map((request) => request.slice(0, 4).trim()),
    ['POST', 'POST', 'POST', 'GET', 'GET', 'GET'],
  );
});

test('a service that stays busy is abandoned after some tries', async (t) => {
  await using stub = await openAzureReadStub();
  for (let i = 0; i < 9; i += 1) stub.onSubmit.push((response) => sendError(response, 500, 'InternalServerError', 'A storm.'));
  await failsWith(t, stub, 'ocr_unavailable', /not available \(status 500: A storm\.\)/);
  t.is(stub.requests.length, PATIENCE.tries);
});

test('a service that asks for more patience than there is time is abandoned at once', async (t) => {
  await using stub = await openAzureReadStub();
  stub.onSubmit.push((response) => sendError(response, 429, '429', 'Quota used up.', { 'retry-after': '86400' }));
  await failsWith(t, stub, 'ocr_unavailable', /Quota used up/);
  t.is(stub.requests.length, 1);
});

test('a refused key is told by the name of its variable, and not tried again', async (t) => {
  await using stub = await openAzureReadStub();
  const outcome = await runnerFor({ endpoint: stub.endpoint, key: 'wrong-key' }).read(t.context.task);
  t.like(outcome, { ok: false, reason: 'ocr_refused' });
  t.regex('message' in outcome ? outcome.message : '', /CLOUD_OCR_KEY/);
  t.is(stub.requests.length, 1);
  stub.onSubmit.push((response) => sendError(response, 403, 'Forbidden', 'Access denied by network rules.'));
  await failsWith(t, stub, 'ocr_refused', /rejected CLOUD_OCR_KEY \(status 403: Access denied by network rules\.\)/);
});

test('an address without the service is told by the name of its variable', async (t) => {
  await using stub = await openAzureReadStub();
  const outcome = await runnerFor({ endpoint: `${stub.endpoint}/elsewhere/`, key: stub.key }).read(t.context.task);
  t.like(outcome, { ok: false, reason: 'ocr_refused' });
  t.regex('message' in outcome ? outcome.message : '', /CLOUD_OCR_ENDPOINT/);
});

test('an address the outbound guard refuses is not called', async (t) => {
  await using stub = await openAzureReadStub();
  const outcome = await runnerFor(stub, PATIENCE, []).read(t.context.task);
  t.like(outcome, { ok: false, reason: 'ocr_refused' });
  t.regex('message' in outcome ? outcome.message : '', /OUTBOUND_ALLOWED_NETWORKS/);
  t.is(stub.requests.length, 0);
});

test('neither a result kept elsewhere nor a redirect takes the key to another host', async (t) => {
  const strangers: IncomingMessage[] = [];
  const other = createServer((request, response) => {
    strangers.push(request);
    response.end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/results/1`;
  await using stub = await openAzureReadStub();
  stub.onSubmit.push((response) => response.writeHead(202, { 'operation-location': elsewhere }).end());
  await failsWith(t, stub, 'ocr_refused', /result URL on another host: http:\/\/127\.0\.0\.1:\d+/);
  stub.onSubmit.push((response) => response.writeHead(307, { location: elsewhere }).end());
  await failsWith(t, stub, 'ocr_refused', /CLOUD_OCR_ENDPOINT/);
  stub.onLook.push((response) => response.writeHead(302, { location: elsewhere }).end());
  await failsWith(t, stub, 'ocr_refused', /CLOUD_OCR_ENDPOINT/);
  t.is(strangers.length, 0);
});

test('a page the service does not take is that page alone', async (t) => {
  await using stub = await openAzureReadStub();
  const unfit: Answer = (response) => sendError(response, 400, 'InvalidRequest', 'The input image is too large.');
  stub.onSubmit.push(unfit, unfit);
  await failsWith(t, stub, 'corrupt', /too large/);
  const error = { code: 'InvalidRequest', message: 'x', innererror: { code: 'InvalidContent', message: `Corrupt; ${stub.key}` } };
  stub.onLook.push((response) => sendStatus(response, 'failed', { error }));
  await failsWith(t, stub, 'corrupt', /Corrupt; \*\*\*/);
  stub.onLook.push((response) => sendStatus(response, 'failed', { error: { code: 'InternalServerError', message: 'x' } }));
  t.deepEqual(await runnerFor(stub).read(t.context.task), { ok: false, reason: 'reader_died' });
});

test('a picture that is not whole never leaves the machine', async (t) => {
  await using stub = await openAzureReadStub();
  await failsWith(t, stub, 'corrupt', /incomplete/, { imagePath: join(t.context.folder, 'missing.pgm') });
  t.is(stub.requests.length, 0);
});

test('an answer that is no JSON, none of the format, or cut off is asked for again', async (t) => {
  await using stub = await openAzureReadStub();
  stub.onLook.push(
    (response) => response.end('<html>'),
    (response) => response.end('{"status": 5}'),
    (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  );
  t.true((await runnerFor(stub).read(t.context.task)).ok);
  for (let i = 0; i < 9; i += 1) stub.onSubmit.push((response) => response.writeHead(202).end());
  await failsWith(t, stub, 'ocr_unavailable', /invalid response/);
});

test('an endless answer is cut off', async (t) => {
  await using stub = await openAzureReadStub();
  stub.onLook.push((response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const pour = (): void => {
      while (response.write(chunk)) if (response.destroyed) return;
    };
    response.on('drain', pour);
    pour();
  });
  await failsWith(t, stub, 'ocr_unavailable', /exceeds/);
});

test('the time of the page holds while the service is silent, works on, or does not begin', async (t) => {
  await using stub = await openAzureReadStub({ running: Number.POSITIVE_INFINITY });
  t.deepEqual(await runnerFor(stub).read({ ...t.context.task, timeoutMs: 3_000 }), { ok: false, reason: 'timeout' });
  stub.onSubmit.push(() => {});
  await failsWith(t, stub, 'ocr_unavailable', /timeout/, { timeoutMs: 200 });
  for (let i = 0; i < 600; i += 1) stub.onLook.push((response) => sendStatus(response, 'notStarted'));
  // on a slow machine the time may also be up in the middle of a request
  await failsWith(t, stub, 'ocr_unavailable', /did not start|timeout/, { timeoutMs: 1_000 });
});

test('an aborted signal ends the request, the pause and the wait, with its own reason', async (t) => {
  await using stub = await openAzureReadStub({ running: Number.POSITIVE_INFINITY });
  const reason = new Error('stopped');
  const abortWhen = async (requests: number, patience = PATIENCE): Promise<unknown> => {
    const abort = new AbortController();
    const before = stub.requests.length;
    const reading = t.throwsAsync(runnerFor(stub, patience).read({ ...t.context.task, timeoutMs: 3_600_000, signal: abort.signal }));
    await waitFor(() => stub.requests.length >= before + requests, { description: 'the requests', limitMs: 20_000 });
    abort.abort(reason);
    return reading;
  };
  t.is(await abortWhen(3), reason);
  // a pause that is waited for runs into the limit of the test
  t.is(await abortWhen(1, { ...PATIENCE, pollMs: { baseMs: 600_000, maxMs: 600_000 } }), reason);
  stub.onSubmit.push(() => {});
  t.is(await abortWhen(1), reason);
});

test('a page larger or smaller than the service takes is fitted to it', async (t) => {
  await using stub = await openAzureReadStub();
  const sizes: (readonly [number, number])[] = [
    [12_000, 60],
    [20, 30],
  ];
  for (const [width, height] of sizes) {
    writeFileSync(t.context.task.imagePath, Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), Buffer.alloc(width * height, 9)]));
    t.true((await runnerFor(stub).read(t.context.task)).ok);
  }
  const seen = await Promise.all(stub.submitted.map(({ body }) => sharp(body).metadata()));
  t.deepEqual(
    seen.map(({ width, height }) => [width, height]),
    [
      [10_000, 50],
      [50, 50],
    ],
  );
});

test('the runner knows its languages and needs no help with how a page lies', async (t) => {
  await using stub = await openAzureReadStub();
  const runner = runnerFor(stub);
  t.true(runner.languages.has('eng') && runner.languages.has('chi_sim'));
  t.false(runner.languages.has('frk'));
  t.is(await runner.findTurn(), 0);
  await runner.close();
  t.is(stub.requests.length, 0);
});
