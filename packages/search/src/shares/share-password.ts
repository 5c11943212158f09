import { createHmac, timingSafeEqual } from 'node:crypto';
import { addressBlock, verifyPassword } from '@sheaf/accounts/passwords';
import type { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { addRateLimitCounts } from '@sheaf/db/rate-limits';

interface Limit {
  readonly attempts: number;
  readonly windowMs: number;
}

/** Of one address at one link. */
const PER_ADDRESS: Limit = { attempts: 10, windowMs: 15 * 60_000 };
/** Of all addresses at one link: of eight characters, nobody finds the right ones at this pace. */
const PER_LINK: Limit = { attempts: 200, windowMs: 3_600_000 };
/** How long a browser may look on after a right password. */
const PROOF_LIFE_MS = 3_600_000;

/** The link that a password is for. */
interface Locked {
  readonly id: string;
  readonly passwordHash: string;
}

export type PasswordOutcome =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number };

const subjectsOf = (id: string, address: string | undefined) => [
  { subject: `share:${id}`, limit: PER_LINK },
  { subject: `share:${id}:${addressBlock(address ?? 'unknown')}`, limit: PER_ADDRESS },
];

/** Adds attempts, and returns in how many milliseconds there may be more; 0 where there may be now. */
const countAttempts = async (db: Db, share: Locked, address: string | undefined, points: 1 | -1): Promise<number> => {
  const subjects = subjectsOf(share.id, address);
  const counts = await addRateLimitCounts(
    db,
    subjects.map(({ subject, limit }) => ({ subject, points, msLeft: limit.windowMs })),
  );
  const over = counts.filter((count) => {
    const limit = subjects.find(({ subject }) => subject === count.subject)?.limit;
    return limit !== undefined && count.points > limit.attempts;
  });
  return Math.max(0, ...over.map(({ msLeft }) => msLeft));
};

/** Whether the password is right. An attempt counts before it is looked at, so that many at once are no more than there may be. */
export const tryPassword = async (db: Db, share: Locked, password: string, address: string | undefined): Promise<PasswordOutcome> => {
  const waitMs = await countAttempts(db, share, address, 1);
  if (waitMs > 0) return { kind: 'limited', retryAfterSeconds: Math.ceil(waitMs / 1_000) };
  if (!(await verifyPassword(password, share.passwordHash))) return { kind: 'wrong' };
  await countAttempts(db, share, address, -1);
  return { kind: 'right' };
};

const sealOf = (secret: Secret, { id, passwordHash }: Locked, until: string): Buffer =>
  createHmac('sha256', secret.reveal()).update(`sheaf share 1\0${id}\0${passwordHash}\0${until}`).digest();

/** What a browser keeps that has given the right password, and for how long. */
export const makeProof = (secret: Secret, share: Locked, now: Date): { proof: string; expiresAt: Date } => {
  const expiresAt = new Date(now.getTime() + PROOF_LIFE_MS);
  const until = String(expiresAt.getTime());
  return { proof: `${until}.${sealOf(secret, share, until).toString('base64url')}`, expiresAt };
};

/** Whether `proof` is one that was made for this link and is not over. */
export const isProof = (secret: Secret, share: Locked, proof: string | undefined, now: Date): boolean => {
  const [until = '', seal = ''] = proof?.split('.') ?? [];
  const given = Buffer.from(seal, 'base64url');
  const right = sealOf(secret, share, until);
  return given.length === right.length && timingSafeEqual(given, right) && Number(until) > now.getTime();
};
