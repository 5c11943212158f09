import { AppError, codedError, reasonedError } from '@sheaf/contract';

// What goes wrong on the way through an identity provider. The words are the same whatever it was: the log has the reason.

/** There is no such sign-in under way, or this browser did not begin it. */
export const signInExpired = (): AppError => codedError('UNAUTHORIZED', 'SIGN_IN_EXPIRED');

/** The answer of the identity provider does not hold. */
export const signInInvalid = (): AppError => codedError('UNAUTHORIZED', 'SIGN_IN_INVALID');

/** The identity provider, or a rule of this service about it, does not let the user in. */
export const signInRefused = (message = 'The identity provider denied the sign-in.'): AppError =>
  new AppError('FORBIDDEN', message, { code: 'SIGN_IN_REFUSED' });

export const providerAway = (cause?: unknown): AppError => reasonedError('SERVICE_UNAVAILABLE', 'identity_provider_away', {}, cause);
