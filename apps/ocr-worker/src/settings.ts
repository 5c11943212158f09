import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '@sheaf/config';
import type { ExtractionSettings } from '@sheaf/extraction';
import { VERSION } from '@sheaf/program';
import { makeGuardedFetch } from '@sheaf/runtime';

/** Page readers of this process: the cores, shared between the worker processes, so that together they are never more. */
const readersOf = ({ ocr }: Config): number => Math.max(1, Math.floor(availableParallelism() / ocr.workerProcesses));

export const extractionSettings = (config: Config): ExtractionSettings => ({
  scratchPath: join(config.storage.tempPath, 'extraction'),
  readers: readersOf(config),
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
});
