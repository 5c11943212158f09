import type { LedgerEntryBody } from '@sheaf/contract';
import type { Format } from '../language/format.ts';
import { type Language, named } from '../language/texts.ts';
import { ledgerWords } from './ledger-words.ts';
import { say } from './words.ts';

export type GivenReason = Pick<LedgerEntryBody, 'reason' | 'reason_code' | 'reason_details'>;

/** Why a file is in its state, in the language of the reader; in the service's words where it has none of ours. Null where all went well. */
export const tellLedgerReason = (
  { reason, reason_code: code, reason_details: details }: GivenReason,
  language: Language,
  format: Format,
): string | null => {
  if (reason === null) return null;
  return (code === null ? undefined : say(ledgerWords[language], code, details, format)) ?? named(reason);
};
