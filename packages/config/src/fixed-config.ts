import type { Config } from './config.ts';

/**
 * The fields that the settings of the database may change while a process runs, by section. A test compares them with
 * SYSTEM_SETTINGS.
 */
export const LIVE_FIELDS = {
  log: ['level'],
  storage: ['scrubPeriodMs', 'trashRetentionMs'],
  ingest: ['allowedFileTypes', 'maxFileBytes', 'maxAttempts', 'defaultLanguage', 'notifications'],
  watch: ['intervalMs', 'stabilityMs', 'maxAgeMs', 'patterns', 'ignorePatterns'],
  sources: ['parallelDownloads', 'checkIntervalMs'],
  ocr: [
    'enabled',
    'concurrentJobs',
    'timeoutMs',
    'retryDelayMs',
    'confidenceThreshold',
    'maxPdfBytes',
    'maxOfficeBytes',
    'maxPages',
    'dpi',
    'psm',
  ],
  signIn: ['registrationEnabled', 'emailVerificationRequired', 'defaultRole', 'passwordPolicy', 'lockout'],
  tokens: ['lifeMs'],
  apiKeys: ['lifeMs'],
  sessions: ['maxConcurrent'],
  notifications: ['policy', 'emailEnabled', 'webhook'],
  monitoring: ['intervalMs', 'cpuShare', 'memoryShare', 'diskShare'],
  resources: ['cache', 'queueSize'],
  websocket: ['maxConnections'],
  rateLimit: ['enabled', 'perMinute', 'burst', 'browserPerMinute', 'uploadsPerMinute'],
} as const satisfies { readonly [Section in keyof Config]?: readonly (keyof Config[Section])[] };

type LiveFields = typeof LIVE_FIELDS;

/** The configuration without what may change while a process runs, so that nobody keeps a value that is no longer true. */
export type FixedConfig = {
  readonly [Section in keyof Config]: Section extends keyof LiveFields
    ? Omit<Config[Section], LiveFields[Section][number]>
    : Config[Section];
};
