import { EXTRACTION_STAGES, type ExtractedPage, type ExtractionStage } from '@sheaf/extraction';
import { Counter, Histogram, type Registry } from '@sheaf/process';

export type JobOutcome = 'completed' | 'failed' | 'retried' | 'released' | 'split' | 'lost';
type ReadingStage = ExtractionStage | 'record';

/** What reading is measured by. */
export interface ReadingMetrics {
  readonly jobEnded: (outcome: JobOutcome, seconds: number) => void;
  readonly stageEnded: (stage: ReadingStage, seconds: number) => void;
  /** Pages that were read and recorded; one with an error was not read. */
  readonly pagesRecorded: (pages: readonly Pick<ExtractedPage, 'origin' | 'error'>[]) => void;
}

export const makeReadingMetrics = (registry: Registry): ReadingMetrics => {
  const registers = [registry];
  const jobs = new Counter({ name: 'sheaf_ocr_jobs_total', help: 'OCR jobs by result', labelNames: ['outcome'], registers });
  const jobSeconds = new Histogram({
    name: 'sheaf_ocr_job_duration_seconds',
    help: 'Duration of an OCR job',
    buckets: [0.1, 0.5, 2, 10, 60, 300, 1_800],
    registers,
  });
  const stageSeconds = new Histogram({
    name: 'sheaf_ocr_stage_duration_seconds',
    help: 'Duration of processing stages: convert and text_layer per document, rasterise and recognise per page, record per batch',
    labelNames: ['stage'],
    buckets: [0.01, 0.05, 0.2, 0.5, 1, 2.5, 10, 60],
    registers,
  });
  const pages = new Counter({
    name: 'sheaf_pages_read_total',
    help: 'Processed pages by origin of their text',
    labelNames: ['origin'],
    registers,
  });
  const failures = new Counter({
    name: 'sheaf_page_failures_total',
    help: 'Failed pages by reason',
    labelNames: ['reason'],
    registers,
  });
  for (const origin of ['text', 'ocr']) pages.inc({ origin }, 0);
  for (const stage of [...EXTRACTION_STAGES, 'record']) stageSeconds.zero({ stage });
  return {
    jobEnded: (outcome, seconds) => {
      jobs.inc({ outcome });
      jobSeconds.observe(seconds);
    },
    stageEnded: (stage, seconds) => stageSeconds.observe({ stage }, seconds),
    pagesRecorded: (recorded) => {
      for (const { origin, error } of recorded) {
        if (error === undefined) pages.inc({ origin });
        else failures.inc({ reason: error });
      }
    },
  };
};
