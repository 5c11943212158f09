import { type ComponentHealth, foundProblems, problemOf } from '@sheaf/contract/operations';
import { backoffMs, sleep } from '@sheaf/process';

const WHOLE_EVERY_MS = 10 * 60_000;

export interface Looks {
  /** Creates, reads and deletes an object; throws in words for people. */
  readonly whole: () => Promise<void>;
  /** Asks for something that costs next to nothing; throws in words for people. */
  readonly brief: () => Promise<void>;
}

/**
 * Looks after a storage in the network. As each process does so every few seconds and writing costs money there, a look is whole
 * only at first, while the storage is not well, and every ten minutes.
 */
export class HealthProbe {
  readonly #looks: Looks;
  #wholeUntil = Number.NEGATIVE_INFINITY;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  /** Never throws. */
  async check(): Promise<ComponentHealth> {
    const isWhole = performance.now() >= this.#wholeUntil;
    try {
      await (isWhole ? this.#looks.whole() : this.#looks.brief());
      if (isWhole) this.#wholeUntil = performance.now() + WHOLE_EVERY_MS;
      return { status: 'healthy' };
    } catch (error) {
      this.#wholeUntil = Number.NEGATIVE_INFINITY;
      return foundProblems('unhealthy', [problemOf(error, 'storage_failing')]);
    }
  }
}

const NAME_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|EPROTO$)/;

/** What a system error says of the way to a host. */
export const connectionReason = (code: string): 'storage_host_unknown' | 'storage_certificate_invalid' | 'storage_unreachable' => {
  if (NAME_CODES.has(code)) return 'storage_host_unknown';
  return TLS_CODE.test(code) ? 'storage_certificate_invalid' : 'storage_unreachable';
};

/** Whether a connection failed on its certificate: the next try would as well. */
export const isCertificateCode = (code: string): boolean => TLS_CODE.test(code) && code !== 'EPROTO';

/** How long a storage in the network is waited for, and how often it is asked. */
export interface Patience {
  readonly tries: number;
  /** The first pause between two tries; each further one is twice as long. */
  readonly pauseMs: number;
  /** No further try begins after this. */
  readonly limitMs: number;
  /** Until an answer begins, beside the time that the bytes of a request take. */
  readonly answerMs: number;
  /** Until the next bytes of a body come. */
  readonly idleMs: number;
}

export const PATIENCE: Patience = { tries: 4, pauseMs: 250, limitMs: 10_000, answerMs: 15_000, idleMs: 30_000 };

/** A line that is slower is no line to store documents over. */
const SLOWEST_BYTES_A_SECOND = 64 * 1024;

/** The storage let a try pass without an answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface Attempts {
  readonly patience: Patience;
  /** How many bytes each try sends. */
  readonly sentBytes?: number;
  /** Whether the next try may go better after this error. A missing answer is always such. */
  readonly isTransient: (error: unknown) => boolean;
}

/**
 * Tries until it goes well, with growing pauses, and returns what the good try returned. Rejects as the last try did, NoAnswer
 * where it took too long. The signal of a try is for its answer alone: a body that is read later is not cut by it.
 */
export const withRetries = async <T>(
  { patience, sentBytes = 0, isTransient }: Attempts,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const answerMs = patience.answerMs + (1_000 * sentBytes) / SLOWEST_BYTES_A_SECOND;
  const deadline = performance.now() + patience.limitMs;
  for (let tried = 1; ; tried += 1) {
    try {
      return await tryOnce(attempt, answerMs);
    } catch (error) {
      const mayHelp = error instanceof NoAnswer || isTransient(error);
      if (!mayHelp || tried >= patience.tries || performance.now() > deadline) throw error;
    }
    await sleep(backoffMs(tried, { baseMs: patience.pauseMs, maxMs: patience.limitMs }), new AbortController().signal);
  }
};

const tryOnce = async <T>(attempt: (signal: AbortSignal) => Promise<T>, answerMs: number): Promise<T> => {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), answerMs);
  try {
    return await attempt(stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? new NoAnswer(`no answer within ${Math.round(answerMs / 1_000)} s`) : error;
  } finally {
    clearTimeout(timer);
  }
};
