export { openTracing } from './open-tracing.ts';
export { currentTraceParent, describeSpan, failSpan, inSpan, runInSpan, type SpanAttributes } from './span.ts';
export { NO_TRACER, type Tracer, traced } from './tracer.ts';
