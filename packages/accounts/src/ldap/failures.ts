import {
  AdminLimitExceededError,
  BusyError,
  InappropriateAuthError,
  InvalidCredentialsError,
  OperationsError,
  ProtocolError,
  ResultCodeError,
  TimeLimitExceededError,
  UnavailableError,
} from 'ldapts';

/** Answers that say nothing about the password: another try may end otherwise. */
const NOT_NOW = [AdminLimitExceededError, BusyError, OperationsError, ProtocolError, TimeLimitExceededError, UnavailableError];

/** Whether the server could not be asked, or could not answer now. */
export const isAway = (error: unknown): boolean => !(error instanceof ResultCodeError) || NOT_NOW.some((kind) => error instanceof kind);

/** Whether the server answered that the name and the password do not belong together. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof InvalidCredentialsError || error instanceof InappropriateAuthError;
