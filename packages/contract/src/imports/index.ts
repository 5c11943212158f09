export {
  type ImportBody,
  type ImportDetailsBody,
  importBody,
  importDetailsBody,
  importForm,
  importListQuery,
  importOptions,
  importOrder,
  type NotImportedBody,
} from './import.ts';
export { type LedgerEntryBody, ledgerEntryBody, ledgerQuery } from './ledger.ts';
export { ledgerReason, ledgerReasonOf } from './ledger-reason.ts';
