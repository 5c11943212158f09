import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason, LedgerReasonCode, LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';

/** Why a file is not taken in, whatever happens later, unless the file itself changes. */
export const REFUSAL_REASONS = [
  'too_large',
  'empty',
  'unknown_type',
  'type_not_allowed',
  'type_mismatch',
  'type_check_failed',
  'not_einvoice',
] as const satisfies readonly LedgerReasonCode[];
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** For the sender: what is wrong and what to do. */
  readonly message: string;
  readonly details: LedgerReasonDetails;
}

const refusal = ({ code, message, details }: LedgerReason & { readonly code: RefusalReason }): Refusal => ({
  reason: code,
  message,
  details,
});

export const tooLarge = (filename: string, maxBytes: number): Refusal =>
  refusal(ledgerReason('too_large', { filename, max_bytes: maxBytes }));

export const emptyFile = (filename: string): Refusal => refusal(ledgerReason('empty', { filename }));

export const unknownType = (filename: string, extension: string, allowed: readonly string[]): Refusal =>
  refusal(ledgerReason('unknown_type', { filename, extension, allowed_types: allowed }));

export const typeNotAllowed = (filename: string, extension: string, allowed: readonly string[]): Refusal =>
  refusal(ledgerReason('type_not_allowed', { filename, extension, allowed_types: allowed }));

/** `found` is what the bytes are, in words, where that is known. */
export const typeMismatch = (filename: string, extension: string, found: string | undefined): Refusal =>
  refusal(ledgerReason('type_mismatch', { filename, declared_type: extension, ...(found === undefined ? {} : { found }) }));

/** Its contents could not be inspected within the limits, which no sound document exceeds. */
export const typeCheckFailed = (filename: string, extension: string): Refusal =>
  refusal(ledgerReason('type_check_failed', { filename, declared_type: extension }));

/** XML of another kind. */
export const notEinvoice = (filename: string): Refusal => refusal(ledgerReason('not_einvoice', { filename }));

/** The same refusal as the error that an interface answers with. */
export const toRefusalError = ({ reason, message, details }: Refusal): AppError =>
  new AppError('VALIDATION_ERROR', message, { details: { reason, ...details } });

/** The same refusal as the ledger has it. */
export const toLedgerReason = ({ reason, message, details }: Refusal): LedgerReason => ({ code: reason, message, details });
