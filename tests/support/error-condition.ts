import { ERROR_CODES } from '@sheaf/vocabulary/error-codes';

interface ReportedError {
  readonly code?: string;
  readonly details?: { readonly reason?: unknown };
}

/**
 * Which condition a body tells of, as the service calls it inside: QUEUE_FULL for SERVICE_UNAVAILABLE with the reason `queue_full`,
 * otherwise the code. Undefined where the body is no error.
 */
export const conditionOf = (body: unknown): string | undefined => {
  const { error } = body as { readonly error?: ReportedError };
  const reason = error?.details?.reason;
  return ERROR_CODES.find((code) => code.toLowerCase() === reason) ?? error?.code;
};
