export { openTracing } from './open-tracing.ts';
export {
  currentTraceParent,
  describeSpan,
  failSpan,
  inSpan,
  NO_TRACER,
  runInSpan,
  type SpanAttributes,
  type Tracer,
  traced,
} from './tracer.ts';
