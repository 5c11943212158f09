import type { LedgerEntryBody } from '@sheaf/contract/imports';
import { type Details, type Translator, withoutBidiControls } from '@sheaf/messages';

type GivenReason = Pick<LedgerEntryBody, 'reason' | 'reason_code' | 'reason_details'>;

/** The message of a code of the import log; undefined where there is none. A file that is refused has the message of the error. */
export const importLogMessage = (code: string, details: Details, { find }: Translator): string | undefined => {
  const problem = typeof details['problem'] === 'string' ? { problem: find(`sources.${details['problem']}`) } : {};
  return find(`importLog.${code}`, { ...details, ...problem }) ?? find(`errors.${code}`, details);
};

/** Why a file has its result, in the language of the translator; as the service wrote it where there is no message. Null where all went well. */
export const importLogReason = (
  { reason, reason_code: code, reason_details: details }: GivenReason,
  translator: Translator,
): string | null => {
  if (reason === null) return null;
  return (code === null ? undefined : importLogMessage(code, details, translator)) ?? withoutBidiControls(reason);
};
