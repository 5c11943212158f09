import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { BoundedWork } from './bounded-work.ts';
import { isImportedHash, verifyImportedHash } from './pbkdf2-password.ts';

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
