/** Where a trace stands, as it is handed on: the trace, the span that goes on elsewhere, and whether the trace is kept. */
export interface TraceParent {
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
export const parseTraceParent = (text: string | null | undefined): TraceParent | undefined => {
  const [, traceId, spanId, flags] = SHAPE.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
};

/** 55 characters. */
export const formatTraceParent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${isSampled ? '1' : '0'}`;
