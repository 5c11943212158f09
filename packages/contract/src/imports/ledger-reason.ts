import type { MessageKey, NeededArguments } from '@sheaf/messages';
import { englishTranslator } from '@sheaf/messages/english';
import type { LedgerReason, LedgerReasonCode, LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';

/** Where the message of a code stands: a file that is refused has the message of the error. */
type KeyOf<C extends LedgerReasonCode> = `importLog.${C}` extends MessageKey ? `importLog.${C}` : `errors.${C}`;

/** What a message shows stands among the details; they may be left out where it shows nothing. */
type DetailsOf<C extends LedgerReasonCode> = [NeededArguments<KeyOf<C>>] extends [never]
  ? [details?: LedgerReasonDetails]
  : [details: LedgerReasonDetails & Readonly<Record<NeededArguments<KeyOf<C>>, unknown>>];

/** Why a file is in its state, with the English message that the catalogue has for the code. */
export const ledgerReason = <C extends LedgerReasonCode>(
  code: C,
  ...[details = {}]: DetailsOf<C>
): LedgerReason & { readonly code: C } => ({
  code,
  message: messageOf(code, details),
  details,
});

/** The same for a code that is known at run time only. */
export const ledgerReasonOf = (code: LedgerReasonCode, details: LedgerReasonDetails): LedgerReason => ({
  code,
  message: messageOf(code, details),
  details,
});

const messageOf = (code: LedgerReasonCode, details: LedgerReasonDetails): string => {
  const { find } = englishTranslator();
  return find(`importLog.${code}`, details) ?? find(`errors.${code}`, details) ?? code;
};
