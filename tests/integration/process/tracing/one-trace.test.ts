import { fork } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, drawScan, makePdf } from '@sheaf/testkit';
import test from 'ava';
import { fullOnly } from '../../../support/full-run.ts';
import { type OtlpSink, type SentSpan, startOtlpSink } from '../../../support/otlp-sink.ts';
import { type RunningApi, startApi } from '../../../support/running-api.ts';
import { endProcess } from '../../../support/sync-process.ts';
import { waitFor } from '../../../support/wait-for.ts';

const tracingTo = (sink: OtlpSink, rate = '1'): Record<string, string> => ({
  TRACING_ENABLED: 'true',
  TRACE_COLLECTOR_ENDPOINT: sink.endpoint,
  TRACE_SAMPLE_RATE: rate,
});

/** An ocr-worker beside an api, on its database and storage; it reads until it is disposed of. */
const startWorker = (api: RunningApi, env: Readonly<Record<string, string>>): AsyncDisposable => {
  const child = fork(join(import.meta.dirname, '../../../../apps/ocr-worker/src/main.ts'), [], {
    cwd: api.folder,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATABASE_URL: api.database.url.reveal(),
      UPLOAD_PATH: join(api.folder, 'uploads'),
      DATA_PATH: join(api.folder, 'data'),
      PROBE_PORT_BASE: '0',
      ...env,
    },
  });
  return { [Symbol.asyncDispose]: () => endProcess(child, 'SIGTERM') };
};

/** `name < parent < ...`, as far as the spans are there. */
const pathOf = (span: SentSpan, spans: readonly SentSpan[]): string => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? span.name : `${span.name} < ${pathOf(parent, spans)}`;
};

const UPLOAD = 'POST /api/documents/upload';
const READ = `read document < record < ingest < ${UPLOAD}`;
const WHOLE_WAY = [
  UPLOAD,
  `ingest < ${UPLOAD}`,
  `receive < ingest < ${UPLOAD}`,
  `store < ingest < ${UPLOAD}`,
  `record < ingest < ${UPLOAD}`,
  READ,
  `fetch < ${READ}`,
  `text_layer < ${READ}`,
  `record pages < ${READ}`,
  `rasterise < ${READ}`,
  `recognise < ${READ}`,
  `record pages < ${READ}`,
  `thumbnail < ${READ}`,
  `signatures < ${READ}`,
  `signature < ${READ}`,
  `facts < ${READ}`,
  `finish < ${READ}`,
  `index < finish < ${READ}`,
];

fullOnly(test)('one trace leads from the request that uploads a document to the transaction that makes it searchable', async (t) => {
  await using sink = await startOtlpSink();
  const api = await startApi(tracingTo(sink));
  const secretName = 'Zebra Quartermaine.pdf';
  const traceId = 'c0ffee'.padEnd(32, '7');
  try {
    const bytes = makePdf([{ lines: ['first page of words'] }, { picture: await drawScan(['Invoice number 4711']) }]);
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), secretName);
    const headers = { traceparent: `00-${traceId}-${'ab'.repeat(8)}-00` };
    const answer = await api.admin.request('/api/documents/upload', { method: 'POST', body: form, headers });
    t.is(answer.status, 201);
    const { id } = (await answer.json()) as { id: string };
    await using _worker = startWorker(api, tracingTo(sink));
    await waitFor(async () => (await api.admin.get(`/api/documents/${id}`)).body['status'] === 'completed', {
      description: 'the document to be read',
      limitMs: 60_000,
    });
    const ofTrace = (): SentSpan[] => sink.spans.filter((span) => span.traceId === traceId);
    await waitFor(() => ['read document', UPLOAD].every((wanted) => ofTrace().some(({ name }) => name === wanted)), {
      description: 'both processes to send their spans',
      limitMs: 20_000,
    });
    const spans = ofTrace();
    t.deepEqual(spans.map((span) => pathOf(span, spans)).toSorted(), WHOLE_WAY.toSorted());

    const [upload, reading] = [UPLOAD, 'read document'].map((name) => spans.find((span) => span.name === name));
    t.is(upload?.parentSpanId, 'ab'.repeat(8), 'goes on with the trace of the caller');
    t.like(upload, { kind: 2, attributes: { 'http.response.status_code': 201, 'http.route': '/api/documents/upload' } });
    t.like(upload?.resource, { 'service.name': 'sheaf', 'service.instance.id': 'api.0' });
    t.like(reading, { kind: 5, attributes: { 'sheaf.document.id': id, 'sheaf.outcome': 'completed', 'sheaf.pages': 2 } });
    t.like(reading?.resource, { 'service.name': 'sheaf', 'service.instance.id': 'ocr-worker.0' });
    t.is(spans.find(({ name }) => name === 'recognise')?.attributes['sheaf.page'], 2);
    t.true(sink.requests.every((path) => path === '/v1/traces'));
    const told = sink.bodies.join('\n');
    for (const word of ['Zebra', 'Quartermaine', 'Invoice', 'first page', 'admin', 'example.org']) t.false(told.includes(word), word);
  } finally {
    await api.stop();
  }
});

test('a document of a request that was not kept is read without a trace of its own, and strangers cannot change that', async (t) => {
  await using sink = await startOtlpSink();
  const api = await startApi(tracingTo(sink, '0'));
  try {
    const form = new FormData();
    form.append('file', new Blob(['some words']), 'a.txt');
    const headers = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
    t.is((await api.admin.request('/api/documents/upload', { method: 'POST', body: form, headers })).status, 201);
    const { rows } = await api.database.pool.query<{ trace_context: string }>('select trace_context from ocr_jobs');
    t.regex(rows[0]?.trace_context ?? '', new RegExp(`^00-${'c'.repeat(32)}-[0-9a-f]{16}-00$`));
  } finally {
    await api.stop();
  }
  t.deepEqual(sink.requests, []);
});

/** A form whose file begins only when the api reads the form: far more stands before it than waits on the way. */
const uploadLate = (url: string, headers: Record<string, string>): Promise<number | undefined> => {
  const part = '\r\n--cut\r\ncontent-disposition: form-data; name="file"; filename="late.txt"\r\n\r\nsome words\r\n--cut--\r\n';
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-type': 'multipart/form-data; boundary=cut' } });
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    sent.write(Buffer.alloc(24 * 1024 * 1024, ' '), () => sent.end(part));
  });
};

test('a file that begins late in its request is of its trace too', async (t) => {
  await using sink = await startOtlpSink();
  const api = await startApi({ ...tracingTo(sink, '0'), AUTH_ENABLED: 'false' });
  const traceId = 'e'.repeat(32);
  try {
    const url = `${api.anyone.url}/api/documents/upload`;
    t.is(await uploadLate(url, { traceparent: `00-${traceId}-${'d'.repeat(16)}-00` }), 201);
    const { rows } = await api.database.pool.query('select substr(trace_context, 4, 32) as id from ocr_jobs');
    t.deepEqual(rows, [{ id: traceId }]);
  } finally {
    await api.stop();
  }
});
