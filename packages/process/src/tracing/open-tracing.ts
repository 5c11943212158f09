import type { Logger } from '../log.ts';
import type { Component } from '../loop.ts';
import type { TracedProcess, TracingSettings } from './otlp-tracer.ts';
import { NO_TRACER, type Tracer } from './tracer.ts';

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left when it stops; put it first, so that it stops last. */
  readonly components: readonly Component[];
}

/** OpenTelemetry is loaded only here and only when it is wanted: it takes a tenth of a second and some megabytes. */
export const openTracing = async (settings: TracingSettings | undefined, who: TracedProcess, log: Logger): Promise<Tracing> => {
  if (settings === undefined) return { tracer: NO_TRACER, components: [] };
  const { OtlpTracer } = await import('./otlp-tracer.ts');
  const tracer = new OtlpTracer(settings, who, log);
  return { tracer, components: [tracer] };
};
