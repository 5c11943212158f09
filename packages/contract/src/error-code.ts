/** The code of an error of the system or of a library, such as ENOENT; undefined where it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const MAX_ERRORS = 16;

interface ErrorParts {
  readonly cause?: unknown;
  /** Of a SuppressedError: what was under way, and what its disposal met. */
  readonly suppressed?: unknown;
  readonly error?: unknown;
  /** Of an AggregateError. */
  readonly errors?: unknown;
}

/**
 * The error and all that is behind it: causes, what a failed disposal suppressed, the parts of an aggregate. What came first comes first,
 * as the disposal usually fails for the same reason.
 */
export const errorChain = (error: unknown): readonly Error[] => {
  const found = new Set<Error>();
  const visit = (current: unknown): void => {
    if (!(current instanceof Error) || found.has(current) || found.size >= MAX_ERRORS) return;
    found.add(current);
    const { cause, suppressed, error: ofDisposal, errors } = current as ErrorParts;
    for (const part of [cause, suppressed, ofDisposal, ...(Array.isArray(errors) ? (errors as unknown[]) : [])]) visit(part);
  };
  visit(error);
  return [...found];
};
