import { join } from 'node:path';
import type { Config, FixedConfig } from '@sheaf/config';
import type { ExtractionSettings } from '@sheaf/extraction';
import { makeGuardedFetch } from '@sheaf/outbound';
import { type Live, select, VERSION } from '@sheaf/process';
import type { SlotSettings } from './job-slots.ts';
import type { ParserMemorySettings } from './parser-memory.ts';
import { mostDocuments } from './places.ts';
import type { JobSettings } from './run-job.ts';

/** Page readers of this process: its share of those of all worker processes. Each has one, so there may be more than are wanted. */
const readersOf = ({ ocr: { workerProcesses }, resources: { workerThreads }, process: { instance } }: FixedConfig): number => {
  const hasOneMore = instance % workerProcesses < workerThreads % workerProcesses;
  return Math.max(1, Math.floor(workerThreads / workerProcesses) + (hasOneMore ? 1 : 0));
};

export const extractionSettings = (config: Config): ExtractionSettings => ({
  scratchPath: join(config.storage.tempPath, 'extraction'),
  readers: readersOf(config),
  documents: mostDocuments({ slots: config.ocr.concurrentJobs, readers: readersOf(config) }),
  dpi: config.ocr.dpi,
  psm: config.ocr.psm,
  oem: config.ocr.oem,
  dataPath: config.ocr.dataPath,
  runner: config.ocr.runner,
  timeoutMs: config.ocr.timeoutMs,
  maxPages: config.ocr.maxPages,
  maxPdfBytes: config.ocr.maxPdfBytes,
  maxOfficeBytes: config.ocr.maxOfficeBytes,
  maxPixels: config.ocr.maxPixels,
  confidenceThreshold: config.ocr.confidenceThreshold,
  cloud: config.ocr.cloud && { ...config.ocr.cloud, fetch: makeGuardedFetch(config.outbound, { userAgent: `Sheaf/${VERSION}` }) },
  limits: config.ocr.limits,
  sandbox: config.ocr.parserSandbox,
});

export const jobSettings = ({ ocr, ingest, notifications }: Config): JobSettings => ({
  leaseMs: ocr.leaseMs,
  ocrEnabled: ocr.enabled,
  versionsKeep: ingest.versionsKeep,
  retryDelayMs: ocr.retryDelayMs,
  confidenceThreshold: ocr.confidenceThreshold,
  notifications: notifications.policy,
});

export const parserMemorySettings = ({ resources }: FixedConfig): ParserMemorySettings => ({
  limitBytes: resources.parserMemoryBytes,
  serviceLimitBytes: resources.memoryLimitBytes,
});

export const slotSettings = (config: FixedConfig, settings: Live<Config>): SlotSettings => ({
  slots: select(settings, (current) => current.ocr.concurrentJobs),
  readers: readersOf(config),
  leaseMs: config.ocr.leaseMs,
});
