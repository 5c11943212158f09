import { inSpan, type SpanAttributes } from '@sheaf/runtime';

/** Where the time of a document goes while it is read. */
export const EXTRACTION_STAGES = ['convert', 'text_layer', 'rasterise', 'recognise'] as const;
export type ExtractionStage = (typeof EXTRACTION_STAGES)[number];

/** Told of each stage when it has ended, well or not. */
export type OnStage = (stage: ExtractionStage, seconds: number) => void;

/** Does `work` as a span of the trace that is under way, with `facts`, and tells how long it took. */
export const inStage = <T>(
  onStage: OnStage | undefined,
  stage: ExtractionStage,
  facts: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> =>
  inSpan(stage, facts, async () => {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      onStage?.(stage, (performance.now() - startedMs) / 1_000);
    }
  });
