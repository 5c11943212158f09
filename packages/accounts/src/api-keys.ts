import { hash, randomBytes } from 'node:crypto';
import { makeIssue, reasonedError, validationError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { ApiKey } from '@sheaf/db/schema';
import type { Clock, Live } from '@sheaf/process';
import { isKnownPermission, type Principal } from '@sheaf/vocabulary/permissions';
import { createApiKey, revokeApiKey, revokeOldTokens } from './queries/api-keys.ts';
import { type Audit, recordAudit } from './users/index.ts';

/** shf_ and 256 random bits. */
export const API_KEY_PATTERN = /^shf_[\w-]{43}$/;
/** As much of a key as may be shown, so that people know which one it is. */
const PREFIX_CHARACTERS = 12;

const DAY_MS = 24 * 3_600_000;

/** When tokens end that end only by being revoked. Choice: a date, as each key has one, and none that anybody lives to see. */
const NEVER = new Date('9999-12-31T00:00:00Z');
/** Of one user; a script that signs in each time it runs leaves no more behind. */
const MAX_TOKENS = 20;

export interface NewApiKey {
  readonly name: string;
  readonly scope: readonly string[];
  /** The longest life that is allowed where nothing is said; never more. */
  readonly expires_in_days?: number | undefined;
}

/** Whose key it is, and who makes it. */
type Actor = Pick<Principal, 'userId' | 'username'>;

export interface ApiKeysDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly forget: (userId: string) => void;
  readonly audit: Audit;
  readonly settings: { readonly lifeMs: Live<number> };
}

/** Keys for programs. What one may do is worked out anew at each look-up, from its scope and from what its owner may do then. */
export class ApiKeys {
  readonly #deps: ApiKeysDeps;

  constructor(deps: ApiKeysDeps) {
    this.#deps = deps;
  }

  /** Makes a key for `principal`. The key itself is told once and not kept. */
  async create(
    principal: Principal,
    { name, scope, expires_in_days: days }: NewApiKey,
    address: string | undefined,
  ): Promise<{ row: ApiKey; key: string }> {
    const { db, clock, settings } = this.#deps;
    if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
    if (principal.via === 'disabled-auth') throw reasonedError('FORBIDDEN', 'not_without_sign_in');
    requireKnownScope(scope);
    const expiresAt = new Date(clock.now().getTime() + Math.min(settings.lifeMs.current(), (days ?? Number.POSITIVE_INFINITY) * DAY_MS));
    return db.transaction((tx) => this.#make(tx, principal, { name, scope, expiresAt }, address));
  }

  /**
   * Makes a key for a program that has signed in as `user`, which may do what they may and ends only when it is revoked. Of one user's, those that
   * were used last remain, at most 20.
   */
  async createToken(user: Actor, name: string, address: string | undefined): Promise<string> {
    const { db, clock, forget } = this.#deps;
    const { key, revoked } = await db.transaction(async (tx) => {
      const made = await this.#make(tx, user, { name, scope: ['*'], expiresAt: NEVER }, address);
      return { ...made, revoked: await revokeOldTokens(tx, user.userId, { expiresAt: NEVER, keep: MAX_TOKENS, now: clock.now() }) };
    });
    if (revoked > 0) forget(user.userId);
    return key;
  }

  async #make(
    tx: Db,
    owner: Actor,
    { name, scope, expiresAt }: { readonly name: string; readonly scope: readonly string[]; readonly expiresAt: Date },
    address: string | undefined,
  ): Promise<{ row: ApiKey; key: string }> {
    const key = `shf_${randomBytes(32).toString('base64url')}`;
    const row = await createApiKey(tx, {
      userId: owner.userId,
      name,
      scope: [...new Set(scope)],
      keyHash: hash('sha256', key, 'hex'),
      prefix: key.slice(0, PREFIX_CHARACTERS),
      expiresAt,
    });
    const subject = { type: 'api_key', id: row.id };
    await this.#deps.audit(tx, { actor: owner, address, action: 'key.created', outcome: 'success', subject, details: { name, scope } });
    return { row, key };
  }

  /** Ends the key that makes the request, whatever else it may do: who has it may throw it away. */
  async revokeOwn(principal: Principal & { readonly keyId: string }, address: string | undefined): Promise<void> {
    await this.revoke({ ...principal, permissions: ['keys.delete.own'] }, principal.keyId, address);
  }

  /** Ends a key. Throws KEY_NOT_FOUND. */
  async revoke(principal: Principal, id: string, address: string | undefined): Promise<void> {
    const { db, clock, forget } = this.#deps;
    const row = await db.transaction(async (tx) => {
      const revoked = await revokeApiKey(tx, principal, id, clock.now());
      const subject = { type: 'api_key', id };
      const details = { name: revoked.name, owner_id: revoked.userId };
      await recordAudit(tx, { actor: principal, address, action: 'key.revoked', outcome: 'success', subject, details });
      return revoked;
    });
    forget(row.userId);
  }
}

const requireKnownScope = (scope: readonly string[]): void => {
  const issues = scope.flatMap((permission, n) =>
    isKnownPermission(permission) ? [] : [makeIssue(`scope.${n}`, 'no_such_permission', { permission })],
  );
  if (issues.length > 0) throw validationError('The scope contains unknown permissions.', { issues });
};
