import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Secret } from '@sheaf/contract';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const ISSUER = 'sheaf';
const AUDIENCE = 'sheaf-api';

/** What a token is for. The kind stands in its header, so that none passes for another. */
const TYPES = { access: 'at+jwt', refresh: 'rt+jwt' } as const;
type TokenKind = keyof typeof TYPES;

const accessClaims = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.number() });
const refreshClaims = z.object({ sub: z.uuid(), sid: z.uuid(), gen: z.int().nonnegative() });

export interface TokenSettings {
  readonly secret: Secret;
  readonly algorithm: 'HS256' | 'HS384' | 'HS512';
}

export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
}

export interface RefreshClaims {
  readonly userId: string;
  readonly sessionId: string;
  /** Which of the session's refresh tokens it is. */
  readonly number: number;
}

interface Lifetime {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Signs and verifies the tokens of sessions. The algorithm is fixed by the settings: a header cannot choose it. */
export class Tokens {
  readonly #key: KeyObject;
  readonly #algorithm: string;

  constructor({ secret, algorithm }: TokenSettings) {
    this.#key = createSecretKey(Buffer.from(secret.reveal(), 'utf8'));
    this.#algorithm = algorithm;
  }

  signAccess({ userId, sessionId }: Pick<AccessClaims, 'userId' | 'sessionId'>, lifetime: Lifetime): Promise<string> {
    return this.#sign('access', userId, { sid: sessionId }, lifetime);
  }

  signRefresh({ userId, sessionId, number }: RefreshClaims, lifetime: Lifetime): Promise<string> {
    return this.#sign('refresh', userId, { sid: sessionId, gen: number }, lifetime);
  }

  /** What an access token says, or undefined when it is not ours, altered, expired or of another kind. */
  async verifyAccess(token: string, now: Date): Promise<AccessClaims | undefined> {
    const parsed = accessClaims.safeParse(await this.#verify('access', token, now));
    if (!parsed.success) return undefined;
    const { sub, sid, exp } = parsed.data;
    return { userId: sub, sessionId: sid, expiresAt: new Date(exp * 1_000) };
  }

  /** The same for a refresh token. */
  async verifyRefresh(token: string, now: Date): Promise<RefreshClaims | undefined> {
    const parsed = refreshClaims.safeParse(await this.#verify('refresh', token, now));
    return parsed.success ? { userId: parsed.data.sub, sessionId: parsed.data.sid, number: parsed.data.gen } : undefined;
  }

  #sign(kind: TokenKind, userId: string, claims: Record<string, unknown>, { issuedAt, expiresAt }: Lifetime): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: this.#algorithm, typ: TYPES[kind] })
      .setSubject(userId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(this.#key);
  }

  async #verify(kind: TokenKind, token: string, now: Date): Promise<unknown> {
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [this.#algorithm],
        issuer: ISSUER,
        audience: AUDIENCE,
        typ: TYPES[kind],
        currentDate: now,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}
