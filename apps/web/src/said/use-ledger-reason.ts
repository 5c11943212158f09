import { useFormat, useLanguage } from '../language/language.tsx';
import { type GivenReason, tellLedgerReason } from './tell-ledger-reason.ts';

/** Says of files of the ledger why they are in their state. */
export const useLedgerReason = (): ((given: GivenReason) => string | null) => {
  const language = useLanguage();
  const format = useFormat();
  return (given) => tellLedgerReason(given, language, format);
};
