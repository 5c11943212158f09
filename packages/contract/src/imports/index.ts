export { type LedgerEntryBody, ledgerEntryBody, ledgerQuery } from './ledger.ts';
export { ledgerReason, ledgerReasonOf } from './ledger-reason.ts';
