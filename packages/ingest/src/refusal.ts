import { type AppError, validationError } from '@sheaf/contract';
import type { LedgerReason, LedgerReasonCode, LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';

/** Why a file is not taken in, whatever happens later, unless the file itself changes. */
export const REFUSAL_REASONS = [
  'too_large',
  'empty',
  'unknown_type',
  'type_not_allowed',
  'type_mismatch',
  'type_check_failed',
] as const satisfies readonly LedgerReasonCode[];
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** For the sender: what is wrong and what to do. */
  readonly message: string;
  readonly details: LedgerReasonDetails;
}

export const tooLarge = (filename: string, maxBytes: number): Refusal => ({
  reason: 'too_large',
  message: `The file exceeds the size limit of ${Math.round(maxBytes / 1024 ** 2)} MB.`,
  details: { filename, max_bytes: maxBytes },
});

export const emptyFile = (filename: string): Refusal => ({ reason: 'empty', message: 'The file is empty', details: { filename } });

export const unknownType = (filename: string, extension: string, allowed: readonly string[]): Refusal => ({
  reason: 'unknown_type',
  message: extension === '' ? 'The file name has no extension.' : `Files of type .${extension} are not supported.`,
  details: { filename, extension, allowed_types: allowed },
});

export const typeNotAllowed = (filename: string, extension: string, allowed: readonly string[]): Refusal => ({
  reason: 'type_not_allowed',
  message: `Files of type .${extension} are not allowed. Allowed types: ${allowed.join(', ')}.`,
  details: { filename, extension, allowed_types: allowed },
});

/** `found` is what the bytes are, in words, where that is known. */
export const typeMismatch = (filename: string, extension: string, found: string | undefined): Refusal => ({
  reason: 'type_mismatch',
  message:
    found === undefined
      ? `The file has the extension .${extension}, but a different content type.`
      : `The file has the extension .${extension}, but is ${found}. Correct the extension.`,
  details: { filename, declared_type: extension, ...(found === undefined ? {} : { found }) },
});

/** Its contents could not be inspected within the limits, which no sound document exceeds. */
export const typeCheckFailed = (filename: string, extension: string): Refusal => ({
  reason: 'type_check_failed',
  message: 'The file type could not be detected. The file is probably damaged.',
  details: { filename, declared_type: extension },
});

/** The same refusal as the error that an interface answers with. */
export const toRefusalError = ({ reason, message, details }: Refusal): AppError => validationError(message, { reason, ...details });

/** The same refusal as the ledger has it. */
export const toLedgerReason = ({ reason, message, details }: Refusal): LedgerReason => ({ code: reason, message, details });
