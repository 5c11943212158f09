import type { Secret } from '@sheaf/contract';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const ALGORITHM = 'HS256';
const ISSUER = 'sheaf';
const AUDIENCE = 'sheaf-api';

const claims = z.object({ sub: z.uuid(), sid: z.uuid() });

export interface TokenClaims {
  readonly userId: string;
  readonly sessionId: string;
}

const keyOf = (secret: Secret): Uint8Array => new TextEncoder().encode(secret.reveal());

/** An access token for one session, valid until `expiresAt`. */
export const signToken = ({ userId, sessionId }: TokenClaims, secret: Secret, issuedAt: Date, expiresAt: Date): Promise<string> =>
  new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt' })
    .setSubject(userId)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(keyOf(secret));

/** What a token says, or undefined when it is not ours, altered or expired. The algorithm is fixed: a header cannot choose it. */
export const verifyToken = async (token: string, secret: Secret, now: Date): Promise<TokenClaims | undefined> => {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: 'at+jwt',
      currentDate: now,
    });
    const parsed = claims.safeParse(payload);
    return parsed.success ? { userId: parsed.data.sub, sessionId: parsed.data.sid } : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
