export { rateLimitCounts } from './columns.ts';
export { type DocumentFact, documentEinvoices, documentFacts, minhashSignatures, nearDuplicates } from './document-facts.ts';
export {
  type Correspondent,
  correspondents,
  type Document,
  type DocumentPage,
  type DocumentType,
  type DocumentVersion,
  documentIds,
  documentNotes,
  documentPages,
  documents,
  documentTallies,
  documentTallyDeltas,
  documentTypes,
  documentVersionPages,
  documentVersions,
} from './documents.ts';
export { type Alert, alerts, type Delivery, type DeliveryPayload, deliveries, events, type Notification, notifications } from './events.ts';
export {
  type CustomFieldRow,
  customFields,
  documentFields,
  documentLabels,
  type FieldValueRow,
  type Label,
  labels,
  type Rule,
  type RuleChange,
  ruleChanges,
  rules,
} from './filing.ts';
export { type Import, type ImportItem, importItems, imports, type UserImport, userImportEntries, userImports } from './imports.ts';
export { type ImportAttempt, importAttempts, ingestLedger, type LedgerEntry, type OcrJob, ocrJobs } from './ingest.ts';
export {
  type BackupRun,
  backupRuns,
  leaderships,
  ocrHosts,
  type ProcessRow,
  processes,
  type StoredFileCheck,
  settings,
  storedFileChecks,
  type UserSettingsRow,
  userSettings,
} from './operations.ts';
export { paperlessIds, paperlessUiSettings } from './paperless-ids.ts';
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
export { savedSearchCandidates, savedSearches, savedSearchPins, shares, type ViewRule } from './shares.ts';
export { type Source, type SourceFields, type SourceFile, type SyncRun, sourceFiles, sources, syncRuns } from './sources.ts';
export { type TrashedDocument, trashedDocuments, trashedReferences } from './trash.ts';
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
  roles,
  type Session,
  sessions,
  type User,
  users,
  type WatchDirectory,
  watchDirectories,
} from './users.ts';
