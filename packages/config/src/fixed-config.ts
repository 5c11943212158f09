import { z } from 'zod';
import type { Config } from './config.ts';
import type { Origin, RawValues } from './parse.ts';
import { VARIABLES, type VariableName } from './variables.ts';

const effectiveFile = z.record(z.string(), z.looseObject({ value: z.string(), isSecret: z.boolean() }));

type Value = Pick<EffectiveValue, 'value' | 'isSecret'>;

const MASK = '***';

const show = ({ value, isSecret }: Value): string => (isSecret ? 'set' : JSON.stringify(value));

const describeDifference = (name: string, then: Value | undefined, now: Value | undefined): string[] => {
  if (then === undefined) return now === undefined ? [] : [`${name} changed from unset to ${show(now)}`];
  if (now === undefined) return [`${name} changed from ${show(then)} to unset`];
  if (then.value === now.value || then.value === MASK) return []; // a masked one cannot be compared
  return [then.isSecret || now.isSecret ? `${name} changed` : `${name} changed from ${show(then)} to ${show(now)}`];
};

/**
 * What is configured otherwise than in `kept`, the effective values that a backup has: a line a variable, and never a secret value.
 */
export const effectiveDifferences = (kept: Uint8Array | undefined, raw: RawValues): string[] => {
  if (kept === undefined) return [];
  const then = effectiveFile.parse(JSON.parse(Buffer.from(kept).toString('utf8')));
  const now: Readonly<Record<string, Value>> = effectiveValues(raw, { withSecrets: true });
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])].toSorted();
  return names.flatMap((name) => describeDifference(name, then[name], now[name]));
};

interface EffectiveValue {
  /** `***` for a secret, unless secrets are wanted. */
  readonly value: string;
  readonly origin: Origin;
  readonly isSecret: boolean;
}

/** Every variable that somebody set, by its own name, with its value and where that came from. */
export const effectiveValues = (
  raw: RawValues,
  { withSecrets }: { readonly withSecrets: boolean },
): Partial<Record<VariableName, EffectiveValue>> =>
  Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([name, { type }]) => {
      const given = raw[name as VariableName];
      if (given === undefined || given.origin === 'default') return [];
      const isSecret = type === 'secret';
      return [[name, { value: isSecret && !withSecrets ? '***' : given.text, origin: given.origin, isSecret }]];
    }),
  );

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
