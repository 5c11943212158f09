import { sqlState } from './sql-state.ts';

/**
 * The server that answers is not the one that this service works with: it does not prove that it knows the password, or refuses a sign-in
 * that was good before. `isDatabaseUnavailable` knows its code: the right one may be back later.
 */
export class OtherServer extends Error {
  readonly code = 'OTHER_SERVER';

  constructor(place: string, what: string, cause?: unknown) {
    super(`another server answers at ${place}, or its sign-in was changed: ${what}`, cause === undefined ? undefined : { cause });
  }
}

/** Whether `error` is, or comes from, an OtherServer. */
export const isOtherServer = (error: unknown): boolean => {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1)
    if (current instanceof OtherServer) return true;
  return false;
};

/** A wrong password, a user or address that may not sign in, no such database. */
const REFUSALS = new Set(['28P01', '28000', '3D000']);

export const isSignInRefused = (error: unknown): boolean => REFUSALS.has(sqlState(error) ?? '');

/** What of pg's client handles a sign-in; it has no setting for which ones are taken. */
export interface SignInHandlers {
  _handleAuthCleartextPassword(message: unknown): void;
  _handleAuthMD5Password(message: unknown): void;
  _handleAuthSASLFinal(message: unknown): void;
  _handleErrorWhileConnecting(error: Error): void;
}
