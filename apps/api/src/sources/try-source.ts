import type { Secret } from '@sheaf/contract';
import type { SourceTestBody } from '@sheaf/contract/sources';
import { englishMessage } from '@sheaf/messages/english';
import type { GuardedFetch } from '@sheaf/outbound';
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

type Told = Pick<SourceTestBody, 'code' | 'message'>;

const findingOf = (sample: readonly string[] | undefined): Told => {
  const code = sample === undefined ? 'slow_listing' : sample.length === 0 ? 'no_files' : 'answers';
  return { code, message: englishMessage(`sources.${code}`) };
};

const look = async (
  driver: SourceDriver,
  signal: AbortSignal,
  { sampleMs }: TestLimits,
): Promise<Told & Pick<SourceTestBody, 'success' | 'sample'>> => {
  await driver.check(signal);
  const sample = await sampleOf(driver, signal, sampleMs);
  return { success: true, ...findingOf(sample), ...(sample === undefined ? {} : { sample }) };
};

const whyNot = (error: unknown, signal: AbortSignal, { totalMs }: TestLimits): Told => {
  if (error instanceof SourceError) return { code: error.code, message: error.message };
  if (signal.aborted) return { code: 'timeout', message: `The source did not respond within ${totalMs / 1_000} s.` };
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
  const outcome = await attempt().catch((error: unknown) => ({ success: false, ...whyNot(error, limited, limits) }));
  return { ...outcome, duration_ms: Math.round(performance.now() - startedMs) };
};
