export { cleanFilename } from './filename.ts';
export type { IncomingFile, IngestDeps, IngestResult, IngestSettings, Wishes } from './incoming-file.ts';
export { FileChanged, ingest } from './ingest.ts';
export { noteFailure } from './note-failure.ts';
export { type Fate, noteFile, type SeenFile, toLedgerPath } from './note-file.ts';
export { REFUSAL_REASONS, type Refusal, type RefusalReason, toRefusalError } from './refusal.ts';
export { ORPHAN_AGE_MS, removeStoredBytes, type SweepDeps, sweepOrphans } from './sweep.ts';
