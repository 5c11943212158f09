// What the tests use of the OCR worker: files can move behind it.
export { findDifferences } from './einvoice-differences.ts';
export { makeFactsBacklog } from './facts-backlog.ts';
export { complete, fail } from './finish-job.ts';
export { JobSlots } from './job-slots.ts';
export { holdLease, LeaseNotRenewed } from './lease.ts';
export { makeMissingLanguages } from './missing-languages.ts';
export { namesAmount, namesIban, namesName, namesNumber, PageWording } from './page-wording.ts';
export { ParserMemory, type ProcessedDocument } from './parser-memory.ts';
export { freePlaces, isCrowded, mostDocuments, nextLongMs, type PlacedJob } from './places.ts';
export { progressSteps, type ReadDeps, readDocument } from './read-document.ts';
export { makeReadingMetrics } from './reading-metrics.ts';
export { type JobControl, JobRunner } from './run-job.ts';
export { extractionSettings, jobSettings } from './settings.ts';
