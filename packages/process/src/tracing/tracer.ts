import { type Span, type SpanAttributes, spanning } from './span.ts';

/** `server` answers a request, `consumer` does a job of a queue, `client` asks somebody else. */
export type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

export interface TraceStart {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** From a row of ours: the trace goes on, and whether it is kept was decided when it began. */
  readonly parent?: string | null | undefined;
  /** From a stranger: the trace goes on under the ids that he gave, but whether it is kept is decided here. */
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
