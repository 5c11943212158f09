import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@sheaf/contract';
import { currentLogFields } from '@sheaf/process/testing';
import { currentTraceParent, inSpan, openTracing, type Tracer, traced } from '@sheaf/process/tracing';
import test from 'ava';
import { makeNotedLogger } from '../../../support/noted-logger.ts';
import { startOtlpSink } from '../../../support/otlp-sink.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { givenTracing } from './given-tracing.ts';

const SERVER = { kind: 'server' } as const;
const spanId = 'ab'.repeat(8);
const traceId = (n: number): string => n.toString(16).padStart(32, 'a');
const work = (tracer: Tracer): Promise<void> => traced(tracer, 'outer', SERVER, () => inSpan('inner', {}, async () => {}));

test('TRACE_SAMPLE_RATE 0 sends nothing, and 1 everything', async (t) => {
  for (const [rate, expected] of [
    [0, 0],
    [1, 40],
  ] as const) {
    await using given = await givenTracing(rate);
    for (let n = 0; n < 20; n += 1) await work(given.tracer);
    t.is((await given.sent(expected)).length, expected);
  }
});

test('a rate between keeps whole traces, one answer for one trace, about as many as it says', async (t) => {
  await using given = await givenTracing(0.5);
  const isKept = (n: number): boolean => {
    const foreignParent = `00-${traceId(n)}-${spanId}-01`;
    const span = given.tracer.begin('request', { ...SERVER, foreignParent });
    span?.child('part', {}).end();
    span?.end();
    return span?.isSampled === true;
  };
  const first = Array.from({ length: 400 }, (_, n) => isKept(n));
  t.deepEqual(
    first,
    first.map((_, n) => isKept(n)),
  );
  const kept = first.filter(Boolean).length;
  t.true(kept > 120 && kept < 280, `${kept} of 400`);
  t.is((await given.sent(kept * 4)).length, kept * 4, 'each twice, with its part');
});

test('who chooses the id of a trace cannot choose that it is kept', async (t) => {
  const keptBy = async (): Promise<string> => {
    await using given = await givenTracing(0.5);
    const answers = Array.from({ length: 64 }, (_, n) => {
      const span = given.tracer.begin('request', { ...SERVER, foreignParent: `00-${traceId(n)}-${spanId}-01` });
      return span?.isSampled === true ? '1' : '0';
    });
    return answers.join('');
  };
  t.not(await keptBy(), await keptBy());
});

test('what was decided where a trace began holds in the processes that go on with it', async (t) => {
  await using never = await givenTracing(0);
  await using always = await givenTracing(1);
  t.true(never.tracer.begin('job', { kind: 'consumer', parent: `00-${traceId(1)}-${spanId}-01` })?.isSampled);
  t.false(always.tracer.begin('job', { kind: 'consumer', parent: `00-${traceId(1)}-${spanId}-00` })?.isSampled);
});

test('a header that is no traceparent is as none', async (t) => {
  await using given = await givenTracing(1);
  const ids = [
    '',
    'x'.repeat(1e6),
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `ff-${traceId(7)}-${spanId}-01`,
    `00-${traceId(7)}-${spanId}-01-more`,
  ].map((foreignParent) => given.tracer.begin('request', { ...SERVER, foreignParent })?.traceId);
  t.true(ids.every((id) => id !== undefined && /^[0-9a-f]{32}$/.test(id) && id !== traceId(7)));
});

test('a part that fails is told by the kind of its error, not by its words', async (t) => {
  await using given = await givenTracing(1);
  const fail = async (): Promise<never> => {
    throw new AppError('NOT_FOUND', 'The secret file of Mr Alder is gone', { code: 'DOCUMENT_NOT_FOUND' });
  };
  await t.throwsAsync(traced(given.tracer, 'outer', SERVER, () => inSpan('inner', {}, fail)));
  t.deepEqual(
    (await given.sent(2)).map(({ name, status, attributes }) => [name, status.code, attributes['error.type']]),
    [
      ['inner', 2, 'DOCUMENT_NOT_FOUND'],
      ['outer', 2, 'DOCUMENT_NOT_FOUND'],
    ],
  );
  t.false(given.sink.bodies.join('').includes('Alder'));
});

test('a collector that takes nothing costs spans alone, is reported once, and holds up no stop', async (t) => {
  const { log, lines } = makeNotedLogger();
  await using given = await givenTracing(1, log);
  given.sink.answer((response) => response.writeHead(400).end('no'));
  // far more than wait at most: what is beyond is dropped
  for (let n = 0; n < 5_000; n += 1) await work(given.tracer);
  await given.stop();
  await waitFor(() => lines.length > 0, { description: 'the log to tell of it', limitMs: 20_000 });
  t.true(given.sink.spans.length < 5_000, `${given.sink.spans.length} spans`);
  t.is(lines.length, 1);
  t.regex(lines.join('\n'), /trace export to TRACE_COLLECTOR_ENDPOINT failed/);
});

test('a collector that never answers is not waited for', async (t) => {
  const { log, lines } = makeNotedLogger();
  await using given = await givenTracing(1, log);
  given.sink.answer(() => {});
  t.is(await traced(given.tracer, 'outer', SERVER, async () => 'done'), 'done');
  await given.stop();
  t.deepEqual(lines, [], 'the exporter itself has not given up yet');
});

test('lines of the log carry the id of the trace that they are written in', async (t) => {
  await using given = await givenTracing(1);
  const foreignParent = `00-${traceId(7)}-${spanId}-01`;
  const fields = await traced(given.tracer, 'outer', { ...SERVER, foreignParent }, () =>
    inSpan('inner', {}, async () => currentLogFields()),
  );
  t.deepEqual(fields, { trace_id: traceId(7) });
  t.deepEqual(currentLogFields(), {});
});

test('an address with a path of its own is kept', async (t) => {
  await using sink = await startOtlpSink();
  const { log } = makeNotedLogger();
  const tracing = await openTracing({ endpoint: `${sink.endpoint}/team/otlp`, sampleRate: 1 }, { name: 'test', instance: 0 }, log);
  await work(tracing.tracer);
  for (const component of tracing.components) await component.stop();
  await waitFor(() => sink.requests.length > 0, { description: 'a batch', limitMs: 20_000 });
  t.deepEqual(sink.requests, ['/team/otlp']);
});

/** What a process has loaded of OpenTelemetry that opens tracing with `settings`; its bare interface comes with prom-client in any case. */
const loadedWith = async (settings: string): Promise<string[]> => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { if (/@opentelemetry.(?!api)/.test(url.slice(url.lastIndexOf('node_modules')))) loaded.push(url); return next(url, context); } });
    await import('@sheaf/program');
    const { silentLogger } = await import('@sheaf/process');
    const { openTracing } = await import('@sheaf/process/tracing');
    await openTracing(${settings}, { name: 'test', instance: 0 }, silentLogger());
    console.log(JSON.stringify(loaded));`;
  const cwd = join(import.meta.dirname, '../../../../apps/api'); // where both can be imported
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd });
  return JSON.parse(stdout) as string[];
};

test('while tracing is off nothing of it is loaded, and work is just done', async (t) => {
  t.deepEqual(await loadedWith('undefined'), []);
  t.true((await loadedWith(`{ endpoint: 'http://127.0.0.1:1', sampleRate: 1 }`)).length > 5);
  const { tracer } = await openTracing(undefined, { name: 'test', instance: 0 }, makeNotedLogger().log);
  t.is(await traced(tracer, 'outer', SERVER, () => inSpan('inner', {}, async () => currentTraceParent())), undefined);
});
