import { AsyncLocalStorage } from 'node:async_hooks';
import type { AppError } from '@sheaf/contract';
import { withLogFields } from '../log-context.ts';

/** `server` answers a request, `consumer` does a job of a queue, `client` asks somebody else. */
export type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

export interface TraceStart {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** From a row of ours: the trace goes on, and whether it is kept was decided when it began. */
  readonly parent?: string | null | undefined;
  /** From a stranger: the trace goes on under the ids that they gave, but whether it is kept is decided here. */
  readonly foreignParent?: string | undefined;
}

/** Begins traces, or goes on with them in this process. What is part of a span is made by `inSpan`. */
export interface Tracer {
  /** The caller ends the span. Undefined while tracing is off. */
  begin(name: string, start: TraceStart): Span | undefined;
}

/** While tracing is off. */
export const NO_TRACER: Tracer = { begin: () => undefined };

/** Does `work` as a span of its own, from which `inSpan` makes parts. */
export const traced = <R>(tracer: Tracer, name: string, start: TraceStart, work: () => Promise<R>): Promise<R> => {
  const span = tracer.begin(name, start);
  return span === undefined ? work() : spanning(span, work);
};

/** Facts about a span: ids, kinds and numbers. Never a name of a person or a file, never text of a document, never a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work of a trace. */
export interface Span {
  /** 32 hex digits, the same in all processes that the work passes through. */
  readonly traceId: string;
  /** For whoever goes on with the work later or elsewhere, as W3C Trace Context writes it. */
  readonly traceParent: string;
  /** Whether the trace is kept; where it is not, nothing is. */
  readonly isSampled: boolean;
  set(attributes: SpanAttributes): void;
  /** Opens a part of this span. The caller ends it. */
  child(name: string, attributes: SpanAttributes): Span;
  /** Marks it as failed; `type` is one word of a small set, such as an error code. */
  fail(type: string): void;
  end(): void;
}

/** Goes with the work through every `await`, so nothing on the way has to hand it on. Empty while nothing is traced. */
const active = new AsyncLocalStorage<Span>();

/** By its name: its class comes with the schemas of the interface, which would be loaded into each thread that reads documents. */
const isCoded = (error: unknown): error is AppError => error instanceof Error && error.name === 'AppError';

/** The error itself may name files and people, so only its kind is told. */
const typeOf = (error: unknown): string => {
  if (isCoded(error)) return error.code;
  return error instanceof Error ? error.name : 'error';
};

/** Does `work` as what `span` covers; its log lines carry the id of the trace. The caller ends the span. */
export const runInSpan = <R>(span: Span, work: () => R): R => withLogFields({ trace_id: span.traceId }, () => active.run(span, work));

/** Does `work` as what `span` covers, and ends it with the work. */
const spanning = async <R>(span: Span, work: () => Promise<R>): Promise<R> => {
  try {
    return await runInSpan(span, work);
  } catch (error) {
    span.fail(typeOf(error));
    throw error;
  } finally {
    span.end();
  }
};

/** Does `work` as a part of the span that is under way; where there is none, or its trace is not kept, it is just done. */
export const inSpan = <R>(name: string, attributes: SpanAttributes, work: () => Promise<R>): Promise<R> => {
  const parent = active.getStore();
  return parent?.isSampled === true ? spanning(parent.child(name, attributes), work) : work();
};

/** Adds to the span that is under way. */
export const describeSpan = (attributes: SpanAttributes): void => active.getStore()?.set(attributes);

/** Marks the span that is under way as failed where nothing is thrown; `type` as `Span.fail` takes it. */
export const failSpan = (type: string): void => active.getStore()?.fail(type);

/** What a row has to keep so that its work goes on with this trace; of a trace that is not kept too, so that this holds later on. */
export const currentTraceParent = (): string | undefined => active.getStore()?.traceParent;
