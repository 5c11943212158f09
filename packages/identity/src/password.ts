import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { BoundedWork } from './bounded-work.ts';

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane; about 20 ms. */
const PARAMETERS = { algorithm: 2 /* argon2id */, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** What waits is done within 3 s; the rest is refused, as it would only wait longer. */
const work = new BoundedWork({ atOnce: 1, maxWaiting: 100 });

/** Half of the cores at most: a flood of sign-ins must not take them all from other requests. One before this was called. */
export const usePasswordCores = (cores: number): void => work.allow(Math.max(1, Math.floor(cores / 2)));

export const hashPassword = (password: string): Promise<string> => work.run(() => hash(password.normalize('NFKC'), PARAMETERS));

let decoy: Promise<string> | undefined;

/**
 * Makes what is checked when there is no user or no password, so that both cases cost the same time. Not when this is loaded: hashing
 * is the first use of the process's threads, and their number is set later.
 */
export const warmPasswords = (): Promise<string> => (decoy ??= hashPassword(randomBytes(16).toString('hex')));

/** Whether `password` belongs to `passwordHash`; false, after the same time, where there is none. */
export const verifyPassword = async (password: string, passwordHash: string | null | undefined): Promise<boolean> => {
  const expected = passwordHash ?? (await warmPasswords());
  const isRight = await work.run(() => verify(expected, password.normalize('NFKC')));
  return isRight && typeof passwordHash === 'string';
};
