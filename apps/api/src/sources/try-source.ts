import type { Secret, SourceTestBody } from '@sheaf/contract';
import type { GuardedFetch } from '@sheaf/runtime';
import { makeDriver, type SourceConnection, type SourceDriver, SourceError, toDriverSettings } from '@sheaf/sources';

interface TestLimits {
  readonly totalMs: number;
  /** Of those, for a look at what is there: a source that answers is a good one, however slowly it lists its files. */
  readonly sampleMs: number;
}

const LIMITS: TestLimits = { totalMs: 20_000, sampleMs: 5_000 };
const SAMPLE_FILES = 5;

interface Request {
  readonly fetch: GuardedFetch;
  readonly localRoots: readonly string[];
  readonly signal: AbortSignal;
}

/** Paths of some files, or undefined where listing takes too long. */
const sampleOf = async (driver: SourceDriver, signal: AbortSignal, limitMs: number): Promise<string[] | undefined> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    for await (const { files } of driver.list(limited)) return files.slice(0, SAMPLE_FILES).map(({ path }) => path);
    return [];
  } catch (error) {
    if (limited.aborted && !signal.aborted) return undefined;
    throw error;
  }
};

const messageOf = (sample: readonly string[] | undefined): string => {
  if (sample === undefined) return 'The source answers, and takes its time to list its files';
  return sample.length === 0 ? 'The source answers, and has no files' : 'The source answers';
};

const look = async (
  driver: SourceDriver,
  signal: AbortSignal,
  { sampleMs }: TestLimits,
): Promise<Pick<SourceTestBody, 'success' | 'message' | 'sample'>> => {
  await driver.check(signal);
  const sample = await sampleOf(driver, signal, sampleMs);
  return { success: true, message: messageOf(sample), ...(sample === undefined ? {} : { sample }) };
};

const whyNot = (error: unknown, signal: AbortSignal, { totalMs }: TestLimits): string => {
  if (error instanceof SourceError) return error.message;
  if (signal.aborted) return `The source gives no answer within ${totalMs / 1_000} s`;
  throw error;
};

/**
 * Reaches the source and looks at a few of its files, for no longer than 20 seconds. That it does not work is an answer, also that
 * `secret` throws a SourceError.
 */
export const trySource = async (
  source: SourceConnection,
  secret: () => Secret | undefined,
  { fetch, localRoots, signal }: Request,
  limits: TestLimits = LIMITS,
): Promise<SourceTestBody> => {
  const startedMs = performance.now();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)]);
  const attempt = async () => {
    const driver = makeDriver(toDriverSettings(source, secret(), localRoots), { fetch });
    try {
      return await look(driver, limited, limits);
    } finally {
      await driver.close();
    }
  };
  const outcome = await attempt().catch((error: unknown) => ({ success: false, message: whyNot(error, limited, limits) }));
  return { ...outcome, duration_ms: Math.round(performance.now() - startedMs) };
};
