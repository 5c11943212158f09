import { AppError, codedError, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import { z } from 'zod';
import { createOneTimeToken, hashToken, makeRandomToken, takeOneTimeToken } from './one-time-tokens.ts';

// What goes wrong on the way through an identity provider. The words are the same whatever it was: the log has the reason.

/** There is no such sign-in under way, or this browser did not begin it. */
export const signInExpired = (): AppError => codedError('UNAUTHORIZED', 'SIGN_IN_EXPIRED');

/** The answer of the identity provider does not hold. */
export const signInInvalid = (): AppError => codedError('UNAUTHORIZED', 'SIGN_IN_INVALID');

/** The identity provider, or a rule of this service about it, does not let the user in. */
export const signInRefused = (message = 'The identity provider denied the sign-in.'): AppError =>
  new AppError('FORBIDDEN', message, { code: 'SIGN_IN_REFUSED' });

export const providerAway = (cause?: unknown): AppError => reasonedError('SERVICE_UNAVAILABLE', 'identity_provider_away', {}, cause);

const MAX_LENGTH = 255;

/** A text of a directory or an identity provider as one that can be stored and shown; undefined for anything else. */
export const toCleanText = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.length > MAX_LENGTH || /\p{Cc}/u.test(text) ? undefined : text;
};

/** Where to send the browser to sign in, and what it has to bring back in a cookie. */
export interface FederatedStart {
  readonly url: string;
  readonly cookie: BrowserToken;
}

export interface FederatedEnd {
  readonly identity: ExternalIdentity;
  /** A path of this service. */
  readonly returnTo: string;
}

/** How a user signs in. */
export const AUTH_METHODS = ['local', 'oidc', 'ldap', 'saml2'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Who somebody is, as a directory or an identity provider says. What they may do here is decided here. */
export interface ExternalIdentity {
  readonly method: Exclude<AuthMethod, 'local'>;
  /** What stays when names and addresses change: issuer and subject, distinguished name, or issuer and name id. */
  readonly externalId: string;
  readonly username: string | undefined;
  readonly email: string | undefined;
  /** Only then the address may link to an account that exists already. */
  readonly emailVerified: boolean;
  readonly displayName: string | undefined;
  readonly groups: readonly string[];
}

/** Checks names and passwords elsewhere. */
export interface PasswordDriver {
  /** Undefined for an unknown name and a wrong password alike. Throws SERVICE_UNAVAILABLE when the directory cannot be asked. */
  check(username: string, password: string, signal?: AbortSignal): Promise<ExternalIdentity | undefined>;
}

/** How long somebody may take at their identity provider. */
const LIFE_MS = 10 * 60_000;

const storedData = z.object({ browser: z.string(), facts: z.record(z.string(), z.string()) });

interface PendingSignInsDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** What a browser has to bring back, in a cookie that scripts cannot read. */
interface BrowserToken {
  readonly value: string;
  readonly maxAgeMs: number;
}

/**
 * Sign-ins that are under way at an identity provider. Each ends at most once, and only in the browser that began it: otherwise
 * somebody could have a victim's browser end the sign-in of their own account, and read what the victim puts there.
 */
export class PendingSignIns {
  readonly #deps: PendingSignInsDeps;
  readonly #purpose: string;

  constructor(deps: PendingSignInsDeps, purpose: string) {
    this.#deps = deps;
    this.#purpose = purpose;
  }

  /** `key` comes back with the answer; `facts` are what the answer will be held against. */
  async begin(key: string, facts: Readonly<Record<string, string>>): Promise<BrowserToken> {
    const { db, clock } = this.#deps;
    const value = makeRandomToken();
    const expiresAt = new Date(clock.now().getTime() + LIFE_MS);
    await createOneTimeToken(db, {
      purpose: this.#purpose,
      tokenHash: hashToken(key),
      data: { browser: hashToken(value), facts },
      expiresAt,
    });
    return { value, maxAgeMs: LIFE_MS };
  }

  /**
   * The facts, once. Undefined when there is no such sign-in (any more), or where another browser began it; where `isBound` is
   * false, any browser may end it.
   */
  async end(
    key: string,
    browserToken: string | undefined,
    { isBound = true }: { readonly isBound?: boolean } = {},
  ): Promise<Readonly<Record<string, string>> | undefined> {
    const { db, clock } = this.#deps;
    const row = await takeOneTimeToken(db, this.#purpose, hashToken(key), clock.now());
    if (row === undefined) return undefined;
    const { browser, facts } = storedData.parse(row.data);
    const isSameBrowser = browserToken !== undefined && hashToken(browserToken) === browser;
    return isSameBrowser || !isBound ? facts : undefined;
  }
}
