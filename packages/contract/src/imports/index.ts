export { type LedgerEntryBody, ledgerEntryBody, ledgerQuery } from './ledger.ts';
