import { silentLogger } from '@sheaf/process';
import { openTracing, type Tracer } from '@sheaf/process/tracing';
import { type OtlpSink, type SentSpan, startOtlpSink } from '../../../support/otlp-sink.ts';
import { waitFor } from '../../../support/wait-for.ts';

export interface GivenTracing extends AsyncDisposable {
  readonly sink: OtlpSink;
  readonly tracer: Tracer;
  /** Sends what is left, within the bound that a process that stops has. */
  readonly stop: () => Promise<void>;
  /** The spans, once so many have come. */
  readonly sent: (count: number) => Promise<readonly SentSpan[]>;
}

/** A tracer of this process and the collector it sends to. */
export const givenTracing = async (sampleRate: number, log = silentLogger()): Promise<GivenTracing> => {
  const sink = await startOtlpSink();
  const { tracer, components } = await openTracing({ endpoint: sink.endpoint, sampleRate }, { name: 'test', instance: 0 }, log);
  const stop = async (): Promise<void> => {
    for (const component of components) await component.stop();
  };
  return {
    sink,
    tracer,
    stop,
    sent: async (count) => {
      await stop(); // a busy machine may send the rest later
      await waitFor(() => sink.spans.length >= count, { description: `${count} spans`, limitMs: 20_000 });
      return sink.spans;
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await sink[Symbol.asyncDispose]();
    },
  };
};
