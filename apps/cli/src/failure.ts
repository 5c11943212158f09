import { ConfigError } from '@sheaf/config';
import { EXIT } from '@sheaf/contract';
import { FatalError } from '@sheaf/runtime';

/** How a tool ends that could not do its work because of `error`. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof ConfigError ? EXIT.configuration : error instanceof FatalError ? error.exitCode : EXIT.failed;

/** What went wrong, for a line on stderr: the innermost cause, as the outer ones repeat whole queries. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && !(error instanceof FatalError) ? reasonOf(error.cause) : error.message;
};
