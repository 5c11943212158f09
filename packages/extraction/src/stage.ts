import { inSpan, type SpanAttributes } from '@sheaf/process/tracing';

/** Where the time of a document goes while it is read. */
export const EXTRACTION_STAGES = ['convert', 'text_layer', 'rasterise', 'recognise'] as const;
export type ExtractionStage = (typeof EXTRACTION_STAGES)[number];

/** Told of each stage when it has ended, well or not. */
export type OnStage = (stage: ExtractionStage, seconds: number) => void;

/** Told when a stage begins; what it returns, when that has ended. */
export type BeginStage = (stage: ExtractionStage, facts: SpanAttributes) => (isGood: boolean) => void;

/** Does `work` as a stage of a document. */
export const inStage = async <T>(
  begin: BeginStage | undefined,
  stage: ExtractionStage,
  facts: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> => {
  const end = begin?.(stage, facts);
  try {
    const result = await work();
    end?.(true);
    return result;
  } catch (error) {
    end?.(false);
    throw error;
  }
};

/** Makes a stage a span of the trace that is under way, with `facts`, and tells how long it took. */
export const observeStages =
  (onStage: OnStage | undefined): BeginStage =>
  (stage, facts) => {
    const startedMs = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // the span has failed with it, and whoever waits for the stage is told elsewhere
    inSpan(stage, facts, () => promise).catch(() => {});
    return (isGood) => {
      onStage?.(stage, (performance.now() - startedMs) / 1_000);
      if (isGood) resolve();
      else reject(new Error(`the stage ${stage} failed`));
    };
  };
