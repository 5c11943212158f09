import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log.ts';

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
