import { ConfigError } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { findSetupError } from '@sheaf/db';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** How a tool ends that could not do its work because of `error`. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof ConfigError) return EXIT.configuration;
  const fatal = error instanceof FatalError ? error : findSetupError(error);
  return fatal?.exitCode ?? EXIT.failed;
};

/** An error whose words are for people. */
const isPlain = (error: Error): boolean => error instanceof FatalError || error instanceof AppError;

/** What went wrong, for a line on stderr: the innermost cause, as the outer ones repeat whole queries. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && !isPlain(error) ? reasonOf(error.cause) : error.message;
};
