import type { LedgerEntryBody } from '@sheaf/contract/imports';
import { importLogMessage, type Translator, withoutBidiControls } from '@sheaf/messages';

type GivenReason = Pick<LedgerEntryBody, 'reason' | 'reason_code' | 'reason_details'>;

/** Why a file has its result, in the language of the translator; as the service wrote it where there is no message. Null where all went well. */
export const importLogReason = (
  { reason, reason_code: code, reason_details: details }: GivenReason,
  translator: Translator,
): string | null => {
  if (reason === null) return null;
  return (code === null ? undefined : importLogMessage(code, details, translator)) ?? withoutBidiControls(reason);
};
