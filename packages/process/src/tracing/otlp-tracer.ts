import { createHmac, randomBytes } from 'node:crypto';
import {
  type Context,
  createContextKey,
  type Span as OtlpSpan,
  SpanKind as OtlpSpanKind,
  type Tracer as OtlpTracerOf,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../log.ts';
import type { Component } from '../loop.ts';
import { VERSION } from '../version.ts';
import { sleep } from '../wait.ts';
import type { Span, SpanAttributes, SpanKind, Tracer, TraceStart } from './tracer.ts';

export interface TracingSettings {
  /** Of a collector that takes OTLP over HTTP as JSON. */
  readonly endpoint: string;
  /** Share of the traces that are kept, 0 to 1. */
  readonly sampleRate: number;
}

/** Which process the spans come from. */
export interface TracedProcess {
  readonly name: string;
  readonly instance: number;
}

/** Where a trace stands, as it is handed on: the trace, the span that goes on elsewhere, and whether the trace is kept. */
interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const SHAPE = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;

/** Reads the header `traceparent` of W3C Trace Context, version 00. Undefined for whatever is not one. */
const parseTraceParent = (text: string | null | undefined): TraceParent | undefined => {
  const [, traceId, spanId, flags] = SHAPE.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
};

/** 55 characters. */
const formatTraceParent = ({ traceId, spanId, isSampled }: TraceParent): string => `00-${traceId}-${spanId}-0${isSampled ? '1' : '0'}`;

/** Some 2 MB at most; what comes beyond is lost, and the work goes on. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 2_000, exportTimeoutMillis: 10_000 };
const EXPORT_MS = 5_000;
/** Of the time in which a process has to stop. */
const FLUSH_MS = 2_000;

const KINDS: Readonly<Record<SpanKind, OtlpSpanKind>> = {
  server: OtlpSpanKind.SERVER,
  consumer: OtlpSpanKind.CONSUMER,
  client: OtlpSpanKind.CLIENT,
  internal: OtlpSpanKind.INTERNAL,
};

const IS_FOREIGN = createContextKey('the parent was given by a stranger');

/**
 * Decides where a trace begins, and keeps to that wherever it goes on. The id alone would let a stranger, who may choose it, choose
 * the outcome as well: it is mixed with a key of this process first, so that one id has one answer that nobody outside can tell.
 */
class BeginningSampler implements Sampler {
  readonly #key = randomBytes(32);
  readonly #ratio: TraceIdRatioBasedSampler;

  constructor(rate: number) {
    this.#ratio = new TraceIdRatioBasedSampler(rate);
  }

  shouldSample(context: Context, traceId: string): SamplingResult {
    const parent = trace.getSpanContext(context);
    if (parent === undefined || context.getValue(IS_FOREIGN) === true) return this.#ratio.shouldSample(context, this.#mixed(traceId));
    const isKept = (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    return { decision: isKept ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return 'BeginningSampler';
  }

  #mixed(traceId: string): string {
    return createHmac('sha256', this.#key).update(traceId).digest('hex').slice(0, 32);
  }
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly traceParent: string;
  readonly isSampled: boolean;
  readonly #tracer: OtlpTracerOf;
  readonly #span: OtlpSpan;

  constructor(tracer: OtlpTracerOf, span: OtlpSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceParent = formatTraceParent({ traceId, spanId, isSampled: this.isSampled });
    this.#tracer = tracer;
    this.#span = span;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  child(name: string, attributes: SpanAttributes): Span {
    const context = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new RecordedSpan(this.#tracer, this.#tracer.startSpan(name, { kind: OtlpSpanKind.INTERNAL, attributes }, context));
  }

  fail(type: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', type);
  }

  end(): void {
    this.#span.end();
  }
}

const contextOf = ({ parent, foreignParent }: TraceStart): Context => {
  const given = parseTraceParent(parent) ?? parseTraceParent(foreignParent);
  if (given === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = given;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  return parseTraceParent(parent) === undefined ? context.setValue(IS_FOREIGN, true) : context;
};

/** An address without a path is that of the collector; traces have their own below it. */
const tracesUrl = (endpoint: string): string => {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
};

const resourceOf = ({ name, instance }: TracedProcess) =>
  resourceFromAttributes({
    'service.name': 'sheaf',
    'service.version': VERSION,
    'service.instance.id': `${name}.${instance}`,
    'process.executable.name': name,
    'process.pid': process.pid,
  });

/**
 * Sends traces to a collector by OTLP over HTTP. Work never waits for it: spans go through a bounded queue in batches, and a collector
 * that is away or slow costs spans only. It does not use the guarded client: that one keeps users and strangers from leading
 * requests to where only the operator may reach, and this address is the operator's own, often on this very machine.
 */
export class OtlpTracer implements Tracer, Component {
  readonly name = 'tracing';
  readonly #provider: TracerProvider;
  readonly #tracer: OtlpTracerOf;
  readonly #exporter: ReportingExporter;

  constructor({ endpoint, sampleRate }: TracingSettings, who: TracedProcess, log: Logger) {
    const url = tracesUrl(endpoint);
    this.#exporter = new ReportingExporter(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS, concurrencyLimit: 4 }), log);
    this.#provider = new TracerProvider({
      resource: resourceOf(who),
      sampler: new BeginningSampler(sampleRate),
      spanProcessors: [new BatchSpanProcessor({ ...QUEUE, exporter: this.#exporter })],
    });
    this.#tracer = this.#provider.getTracer('sheaf', VERSION);
  }

  begin(name: string, start: TraceStart): Span {
    const options = { kind: KINDS[start.kind], attributes: start.attributes ?? {} };
    return new RecordedSpan(this.#tracer, this.#tracer.startSpan(name, options, contextOf(start)));
  }

  async start(): Promise<void> {}

  /** Sends what is left, as far as the collector takes it within two seconds; one that is known to be away is not waited for. */
  async stop(): Promise<void> {
    const sent = new AbortController();
    // what could not be sent was told by the exporter
    const flushed = this.#provider.shutdown().catch(() => {});
    void flushed.then(() => sent.abort());
    if (!this.#exporter.isAway) await sleep(FLUSH_MS, sent.signal);
  }
}

type Export = SpanExporter['export'];

/** Says once that traces cannot be sent, and once that they can be again, instead of with every batch. */
export class ReportingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #log: Logger;
  #lost = 0;

  constructor(inner: SpanExporter, log: Logger) {
    this.#inner = inner;
    this.#log = log;
  }

  /** Whether the last batch could not be sent. */
  get isAway(): boolean {
    return this.#lost > 0;
  }

  export(...[spans, done]: Parameters<Export>): void {
    this.#inner.export(spans, (result) => {
      // the exporter over HTTP tells the error of each failure
      if (result.error === undefined) this.#sent();
      else this.#failed(spans.length, result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  #sent(): void {
    if (this.#lost > 0) this.#log.info({ lost_spans: this.#lost }, 'trace export recovered');
    this.#lost = 0;
  }

  #failed(spans: number, error: Error | undefined): void {
    if (this.#lost === 0) this.#log.warn({ err: error }, 'trace export to TRACE_COLLECTOR_ENDPOINT failed, spans dropped');
    this.#lost += spans;
  }
}
