import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { reasonedError } from '@sheaf/contract';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';

const derive = promisify(pbkdf2);

/** Two seconds of a core; what asks for more is no hash that this service takes over. */
const MAX_ITERATIONS = 2_000_000;
const KEY_BYTES = 32;
const PBKDF2 = /^pbkdf2_sha256\$(\d{1,7})\$([A-Za-z0-9+/=._-]{1,128})\$([A-Za-z0-9+/]{43}=)$/;

interface Pbkdf2Hash {
  readonly iterations: number;
  readonly salt: string;
  readonly key: Buffer;
}

const parse = (passwordHash: string): Pbkdf2Hash | undefined => {
  const [, iterations = '', salt = '', key = ''] = PBKDF2.exec(passwordHash) ?? [];
  const count = Number(iterations);
  return count < 1 || count > MAX_ITERATIONS ? undefined : { iterations: count, salt, key: Buffer.from(key, 'base64') };
};

/** Whether it is a hash of another system that a user can sign in with once: `pbkdf2_sha256$iterations$salt$key`. */
export const isImportedHash = (passwordHash: string): boolean => parse(passwordHash) !== undefined;

/** Whether `password`, as it was typed, belongs to the hash. */
const verifyImportedHash = async (password: string, passwordHash: string): Promise<boolean> => {
  const expected = parse(passwordHash);
  if (expected === undefined) return false;
  const key = await derive(password, expected.salt, expected.iterations, KEY_BYTES, 'sha256');
  return timingSafeEqual(key, expected.key);
};

/** Runs at most so many pieces of work at a time and lets so many more wait. One too many is told to come back. */
export class BoundedWork {
  readonly #limit: LimitFunction;
  readonly #maxWaiting: number;

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#limit = pLimit(atOnce);
    this.#maxWaiting = maxWaiting;
  }

  /** From the next piece of work on. */
  allow(atOnce: number): void {
    this.#limit.concurrency = atOnce;
  }

  /** Throws SERVICE_UNAVAILABLE when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { activeCount, concurrency, pendingCount } = this.#limit;
    if (activeCount >= concurrency && pendingCount >= this.#maxWaiting) throw reasonedError('SERVICE_UNAVAILABLE', 'too_many_sign_ins');
    return this.#limit(work);
  }
}

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane; about 20 ms. */
const PARAMETERS = { algorithm: 2 /* argon2id */, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** What waits is done within 3 s; the rest is refused, as it would only wait longer. */
const work = new BoundedWork({ atOnce: 1, maxWaiting: 100 });

/** Half of the cores at most: a flood of sign-ins must not take them all from other requests. One before this was called. */
export const usePasswordCores = (cores: number): void => work.allow(Math.max(1, Math.floor(cores / 2)));

/** Native code of 720 kB, which only processes that see a password load. */
const argon2 = () => import('@node-rs/argon2');

export const hashPassword = (password: string): Promise<string> =>
  work.run(async () => (await argon2()).hash(password.normalize('NFKC'), PARAMETERS));

let decoy: Promise<string> | undefined;

/**
 * Makes what is checked when there is no user or no password, so that both cases cost the same time. Not when this is loaded: hashing
 * is the first use of the process's threads, and their number is set later.
 */
export const warmPasswords = (): Promise<string> => (decoy ??= hashPassword(randomBytes(16).toString('hex')));

/** The longest that a hash of another system took; longer ones than this would keep those waiting who mistyped. */
let importedMs = 0;
const MAX_IMPORTED_MS = 4_000;

const verifyImported = async (password: string, passwordHash: string): Promise<boolean> => {
  const startMs = performance.now();
  const isRight = await verifyImportedHash(password, passwordHash);
  importedMs = Math.min(MAX_IMPORTED_MS, Math.max(importedMs, performance.now() - startMs));
  return isRight;
};

/**
 * Whether `password` belongs to `passwordHash`; false, after the same time, where there is none. Where a hash of another system was
 * met before, what is wrong is answered no sooner than for such a one: else the time would tell whose account was imported.
 */
export const verifyPassword = async (password: string, passwordHash: string | null | undefined): Promise<boolean> => {
  const expected = passwordHash ?? (await warmPasswords());
  const { isRight, startMs } = await work.run(async () => ({
    startMs: performance.now(),
    isRight: await (isImportedHash(expected)
      ? verifyImported(password, expected)
      : (await argon2()).verify(expected, password.normalize('NFKC'))),
  }));
  if (isRight && typeof passwordHash === 'string') return true;
  const leftMs = startMs + importedMs - performance.now();
  if (leftMs > 0) await setTimeout(leftMs);
  return false;
};

/** The hash to keep instead of the one of another system, which `password` was found to belong to; undefined where it is one of our own. */
export const upgradedHash = async (password: string, passwordHash: string | null): Promise<string | undefined> =>
  passwordHash !== null && isImportedHash(passwordHash) ? hashPassword(password) : undefined;
