// What the tests use of the OCR worker: files can move behind it.

export { makeFactsBacklog } from './compose.ts';
export { findDifferences, namesAmount, namesIban, namesName, namesNumber, PageWording } from './einvoice-differences.ts';
export { complete, fail } from './finish-job.ts';
export { JobSlots } from './job-slots.ts';
export { ParserMemory, type ProcessedDocument } from './parser-memory.ts';
export { freePlaces, isCrowded, mostDocuments, nextLongMs, type PlacedJob } from './places.ts';
export { makeMissingLanguages, makeReadingMetrics, progressSteps, type ReadDeps, readDocument } from './read-document.ts';
export { holdLease, type JobControl, JobRunner, LeaseNotRenewed } from './run-job.ts';
export { extractionSettings, jobSettings } from './settings.ts';
