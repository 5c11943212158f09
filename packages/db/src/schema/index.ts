export { type BackupRun, backupRuns } from './backup-runs.ts';
export { rateLimitCounts } from './columns.ts';
export { type CustomFieldRow, customFields, documentFields, type FieldValueRow } from './custom-fields.ts';
export { type Alert, alerts, type Delivery, type DeliveryPayload, deliveries, type Notification, notifications } from './deliveries.ts';
export { documentEinvoices } from './document-einvoices.ts';
export { type DocumentFact, documentFacts } from './document-facts.ts';
export { documentTallies, documentTallyDeltas } from './document-tallies.ts';
export { type DocumentVersion, documentVersionPages, documentVersions } from './document-versions.ts';
export {
  type Correspondent,
  correspondents,
  type Document,
  type DocumentPage,
  type DocumentType,
  documentIds,
  documentNotes,
  documentPages,
  documents,
  documentTypes,
} from './documents.ts';
export { events } from './events.ts';
export {
  type ApiKey,
  type AuditRow,
  apiKeys,
  auditLog,
  knownDevices,
  loginFailures,
  type MfaDevice,
  mfaDevices,
  type OneTimeToken,
  oneTimeTokens,
  recoveryCodes,
} from './identity.ts';
export { type ImportAttempt, importAttempts } from './import-attempts.ts';
export { type Import, type ImportItem, importItems, imports } from './imports.ts';
export { ingestLedger, type LedgerEntry } from './ingest-ledger.ts';
export { documentLabels, type Label, labels } from './labels.ts';
export { minhashSignatures, nearDuplicates } from './near-duplicates.ts';
export { type OcrJob, ocrJobs } from './ocr-jobs.ts';
export { paperlessIds, paperlessUiSettings } from './paperless-ids.ts';
export { leaderships, ocrHosts, type ProcessRow, processes } from './processes.ts';
export { type Rule, type RuleChange, ruleChanges, rules } from './rules.ts';
export {
  documentSearch,
  documentSearchParts,
  searchDeltas,
  searchOwnerTerms,
  searchOwnerTotals,
  searchRenewals,
  searchTerms,
  searchTotals,
} from './search.ts';
export { settings, type UserSettingsRow, userSettings } from './settings.ts';
export { savedSearchCandidates, savedSearches, savedSearchPins, shares, type ViewRule } from './shares.ts';
export { type Source, type SourceFields, type SourceFile, type SyncRun, sourceFiles, sources, syncRuns } from './sources.ts';
export { type StoredFileCheck, storedFileChecks } from './stored-file-checks.ts';
export { type TrashedDocument, trashedDocuments, trashedReferences } from './trash.ts';
export { type UserImport, userImportEntries, userImports } from './user-imports.ts';
export { roles, type Session, sessions, type User, users, type WatchDirectory, watchDirectories } from './users.ts';
