import { z } from 'zod';
import {
  createFieldRequest,
  customFieldBody,
  deleteFieldQuery,
  fieldListQuery,
  mergeFieldRequest,
  updateFieldRequest,
} from './documents/custom-field.ts';
import {
  createNoteRequest,
  documentBody,
  documentListQuery,
  documentPageListQuery,
  documentPagesBody,
  documentPagesQuery,
  nextNumbersBody,
  noteBody,
  noteListQuery,
  notesBody,
  pageWordsBody,
  similarDocumentsBody,
  similarListQuery,
  uploadLimitsBody,
} from './documents/document.ts';
import {
  bulkBody,
  bulkDownloadRequest,
  bulkRequest,
  downloadTicketBody,
  signatureListQuery,
  signaturesBody,
} from './documents/document-bulk.ts';
import { documentUpdate } from './documents/document-update.ts';
import { einvoiceBody } from './documents/einvoice.ts';
import { factListBody, factListQuery, factsBody } from './documents/fact.ts';
import {
  correspondentBody,
  createCorrespondentRequest,
  createDocumentTypeRequest,
  createLabelRequest,
  documentTypeBody,
  filingListQuery,
  labelBody,
  labelDocumentsRequest,
  labelListQuery,
  mergeRequest,
  updateCorrespondentRequest,
  updateDocumentTypeRequest,
  updateLabelRequest,
} from './documents/filing.ts';
import { createdShareBody, createShareRequest, shareBody, shareListQuery } from './documents/share.ts';
import {
  deleteDocumentQuery,
  emptyTrashBody,
  emptyTrashRequest,
  restoredDocumentBody,
  trashedDocumentBody,
  trashListQuery,
} from './documents/trash.ts';
import { comparisonBody, joinVersionRequest, pageEditBody, pageEditRequest, versionListQuery, versionsBody } from './documents/version.ts';
import {
  createdKeyBody,
  createKeyRequest,
  keyBody,
  keyListQuery,
  mfaBody,
  mfaVerifyRequest,
  reauthentication,
  recoveryCodesBody,
  totpEnableBody,
  totpEnableRequest,
  totpSetupBody,
  totpSetupRequest,
  webauthnLoginOptionsRequest,
  webauthnOptionsBody,
  webauthnRegisterBody,
  webauthnRegisterOptionsRequest,
  webauthnRegisterRequest,
} from './identity/credentials.ts';
import {
  authConfigBody,
  authTestBody,
  authTestRequest,
  loginAnswer,
  loginBody,
  loginRequest,
  managedUserBody,
  meBody,
  registerRequest,
  sessionBody,
  sessionListQuery,
  userBody,
} from './identity/user.ts';
import { importBody, importDetailsBody, importListQuery, importOrder, ledgerEntryBody, ledgerQuery } from './imports/import.ts';
import { deliveryBody, deliveryQuery, notificationBody, notificationQuery } from './notifications/notification.ts';
import {
  daysQuery,
  documentAnalyticsBody,
  processingAnalyticsBody,
  systemAnalyticsBody,
  userAnalyticsBody,
} from './operations/analytics.ts';
import { backupBody, backupListQuery, backupOverview, backupRunBody, storageBody } from './operations/backup.ts';
import { detailedHealthBody, healthBody, hostBody, hostListQuery } from './operations/health.ts';
import { paginationBody, rowId } from './page.ts';
import { jobPriority, ocrLanguagesBody, queueItemBody, queueListQuery, queueStatusBody, retryRequest } from './queue/queue.ts';
import {
  createRuleRequest,
  dryRunBody,
  ruleAppliedBody,
  ruleBody,
  ruleChangeListQuery,
  ruleChangesBody,
  ruleDraft,
  ruleListQuery,
  ruleUndoneBody,
  updateRuleRequest,
} from './rules/rule.ts';
import { advancedSearchRequest } from './search/advanced-search.ts';
import {
  createSavedSearchRequest,
  savedSearchBody,
  savedSearchListQuery,
  savedSearchQuery,
  updateSavedSearchRequest,
} from './search/saved-search.ts';
import { searchBody, searchQuery, suggestBody, suggestQuery } from './search/search.ts';
import {
  createSourceRequest,
  sourceBody,
  sourceHealthBody,
  sourceListQuery,
  sourceTestBody,
  syncStatusBody,
  testSourceRequest,
  updateSourceRequest,
} from './sources/source-body.ts';
import { auditEntryBody, auditQuery } from './users/audit.ts';
import {
  acceptInvitationRequest,
  changePasswordRequest,
  createUserRequest,
  ensuredWatchDirectoryBody,
  ensureWatchDirectoryRequest,
  givePasswordRequest,
  importUsersBody,
  importUsersRequest,
  invitationBody,
  passwordChangedBody,
  removedWatchDirectoryBody,
  resendVerificationRequest,
  roleListQuery,
  rolesBody,
  rolesRequest,
  updateProfileRequest,
  updateUserRequest,
  userImportBody,
  userImportInvitationsBody,
  userListQuery,
  userSettingsBody,
  userSettingsRequest,
  verifyEmailRequest,
  watchDirectoryBody,
} from './users/user-management.ts';

const pageOf = <T extends z.ZodType>(item: T) => z.strictObject({ data: z.array(item), pagination: paginationBody });
/** Which system settings there are is a matter of the configuration; the text of the interface describes each. */
const anySettings = z.record(z.string(), z.unknown());
const settingsAnswer = userSettingsBody.extend({
  system: anySettings.optional(),
  stored: z.array(z.string()).optional(),
  restart_required: z.array(z.string()).optional(),
});
const settingsChange = userSettingsRequest.extend({ system: anySettings.optional() });

const success = z.strictObject({ success: z.literal(true) });

/**
 * What the web client calls, each by method and path: what goes with the request, and what comes back as JSON; without `response`
 * the answer has no body. A test compares it with the schemas of the routes, so neither side can drift.
 */
export const INTERFACE = {
  'get /api/auth/config': { response: authConfigBody },
  'post /api/auth/login': { body: loginRequest, response: loginAnswer },
  'post /api/auth/logout': { response: success },
  'get /api/auth/me': { response: meBody },
  'post /api/auth/register': { body: registerRequest, response: userBody },
  'post /api/auth/invitation': { body: acceptInvitationRequest, response: success },
  'post /api/auth/verify-email': { body: verifyEmailRequest, response: z.strictObject({ success: z.literal(true), email: z.string() }) },
  'post /api/auth/resend-verification': { body: resendVerificationRequest, response: success },
  'get /api/auth/sessions': { query: sessionListQuery, response: pageOf(sessionBody) },
  'delete /api/auth/sessions/{id}': {},
  'delete /api/auth/sessions': { response: z.strictObject({ ended: z.int().nonnegative() }) },
  'post /api/auth/test': { body: authTestRequest, response: authTestBody },
  'get /api/auth/mfa': { response: mfaBody },
  'post /api/auth/mfa/verify': { body: mfaVerifyRequest, response: loginBody },
  'post /api/auth/mfa/totp/setup': { body: totpSetupRequest, response: totpSetupBody },
  'post /api/auth/mfa/totp/enable': { body: totpEnableRequest, response: totpEnableBody },
  'post /api/auth/mfa/webauthn/register/options': { body: webauthnRegisterOptionsRequest, response: webauthnOptionsBody },
  'post /api/auth/mfa/webauthn/register/verify': { body: webauthnRegisterRequest, response: webauthnRegisterBody },
  'post /api/auth/mfa/webauthn/login/options': { body: webauthnLoginOptionsRequest, response: webauthnOptionsBody },
  'post /api/auth/mfa/recovery-codes': { body: reauthentication, response: recoveryCodesBody },
  'delete /api/auth/mfa/{id}': { body: reauthentication, response: success },

  'get /api/documents': { query: documentListQuery, response: pageOf(documentBody) },
  'get /api/documents/{id}': { response: documentBody },
  'patch /api/documents/{id}': { body: documentUpdate, response: documentBody },
  'delete /api/documents/{id}': { query: deleteDocumentQuery },
  'get /api/archive-numbers/next': { response: nextNumbersBody },
  'get /api/documents/{id}/einvoice': { response: einvoiceBody },
  'get /api/documents/{id}/notes': { query: noteListQuery, response: notesBody },
  'post /api/documents/{id}/notes': { body: createNoteRequest, response: noteBody },
  'delete /api/documents/{id}/notes/{note_id}': {},
  'get /api/documents/{id}/versions': { query: versionListQuery, response: versionsBody },
  'post /api/documents/{id}/versions': { body: joinVersionRequest, response: documentBody },
  'get /api/documents/{id}/versions/{version}/pages': { query: documentPageListQuery, response: documentPagesBody },
  'get /api/documents/{id}/versions/{version}/compare/{other}': { query: documentPagesQuery, response: comparisonBody },
  'post /api/documents/{id}/versions/{version}/restore': { response: documentBody },
  'post /api/documents/{id}/split/undo': { response: documentBody },
  'get /api/documents/{id}/similar': { query: similarListQuery, response: similarDocumentsBody },
  'post /api/documents/{id}/similar/{other_id}/dismiss': {},
  'get /api/documents/{id}/facts': { query: factListQuery, response: factListBody },
  'post /api/documents/{id}/facts/{fact_id}/choose': { response: factsBody },
  'get /api/documents/{id}/signatures': { query: signatureListQuery, response: signaturesBody },
  'get /api/documents/{id}/pages': { query: documentPageListQuery, response: documentPagesBody },
  'get /api/documents/{id}/pages/{page}/words': { response: pageWordsBody },
  'post /api/documents/{id}/pages/edit': { body: pageEditRequest, response: pageEditBody },
  'post /api/documents/{id}/retry-ocr': { body: retryRequest, response: queueItemBody },
  'post /api/documents/bulk': { body: bulkRequest, response: bulkBody },
  'post /api/documents/bulk-download/tickets': { body: bulkDownloadRequest, response: downloadTicketBody },

  'get /api/search': { query: searchQuery, response: searchBody },
  'post /api/search/advanced': { body: advancedSearchRequest, response: searchBody },
  'get /api/search/suggest': { query: suggestQuery, response: suggestBody },

  'get /api/saved-searches': { query: savedSearchListQuery, response: pageOf(savedSearchBody) },
  'post /api/saved-searches': { body: createSavedSearchRequest, response: savedSearchBody },
  'get /api/saved-searches/{id}': { query: savedSearchQuery, response: savedSearchBody },
  'patch /api/saved-searches/{id}': { body: updateSavedSearchRequest, response: savedSearchBody },
  'delete /api/saved-searches/{id}': {},

  'get /api/trash': { query: trashListQuery, response: pageOf(trashedDocumentBody) },
  'get /api/trash/{id}': { response: trashedDocumentBody },
  'post /api/trash/{id}/restore': { response: restoredDocumentBody },
  'delete /api/trash/{id}': {},
  'delete /api/trash': { body: emptyTrashRequest, response: emptyTrashBody },
  'get /api/shares': { query: shareListQuery, response: pageOf(shareBody) },
  'delete /api/shares/{id}': {},
  'post /api/documents/{id}/shares': { body: createShareRequest, response: createdShareBody },
  'post /api/saved-searches/{id}/shares': { body: createShareRequest, response: createdShareBody },

  'get /api/labels': { query: labelListQuery, response: z.strictObject({ labels: z.array(labelBody), pagination: paginationBody }) },
  'post /api/labels': { body: createLabelRequest, response: labelBody },
  'patch /api/labels/{id}': { body: updateLabelRequest, response: labelBody },
  'delete /api/labels/{id}': {},
  'post /api/labels/{id}/assign': { body: labelDocumentsRequest, response: z.strictObject({ assigned: z.int() }) },
  'post /api/labels/{id}/unassign': { body: labelDocumentsRequest, response: z.strictObject({ unassigned: z.int() }) },

  'get /api/correspondents': { query: filingListQuery, response: pageOf(correspondentBody) },
  'get /api/correspondents/{id}': { response: correspondentBody },
  'post /api/correspondents': { body: createCorrespondentRequest, response: correspondentBody },
  'patch /api/correspondents/{id}': { body: updateCorrespondentRequest, response: correspondentBody },
  'delete /api/correspondents/{id}': {},
  'post /api/correspondents/{id}/merge': { body: mergeRequest, response: correspondentBody },
  'get /api/document-types': { query: filingListQuery, response: pageOf(documentTypeBody) },
  'get /api/document-types/{id}': { response: documentTypeBody },
  'post /api/document-types': { body: createDocumentTypeRequest, response: documentTypeBody },
  'patch /api/document-types/{id}': { body: updateDocumentTypeRequest, response: documentTypeBody },
  'delete /api/document-types/{id}': {},
  'post /api/document-types/{id}/merge': { body: mergeRequest, response: documentTypeBody },
  'get /api/fields': { query: fieldListQuery, response: pageOf(customFieldBody) },
  'post /api/fields': { body: createFieldRequest, response: customFieldBody },
  'patch /api/fields/{id}': { body: updateFieldRequest, response: customFieldBody },
  'delete /api/fields/{id}': { query: deleteFieldQuery },
  'post /api/fields/{id}/merge': { body: mergeFieldRequest, response: customFieldBody },
  'get /api/rules': { query: ruleListQuery, response: z.strictObject({ rules: z.array(ruleBody), pagination: paginationBody }) },
  'post /api/rules': { body: createRuleRequest, response: ruleBody },
  'patch /api/rules/{id}': { body: updateRuleRequest, response: ruleBody },
  'delete /api/rules/{id}': {},
  'post /api/rules/dry-run': { body: ruleDraft, response: dryRunBody },
  'post /api/rules/{id}/apply': { response: ruleAppliedBody },
  'post /api/rules/{id}/undo': { response: ruleUndoneBody },
  'get /api/documents/{id}/rule-changes': { query: ruleChangeListQuery, response: ruleChangesBody },

  'get /api/ocr/queue': {
    query: queueListQuery,
    response: z.strictObject({ data: z.array(queueItemBody), pagination: paginationBody, paused: z.boolean() }),
  },
  'get /api/ocr/languages': { response: ocrLanguagesBody },
  'get /api/ocr/queue/status': { response: queueStatusBody },
  'delete /api/ocr/queue/{id}': {},
  'put /api/ocr/queue/{id}/priority': { body: z.strictObject({ priority: jobPriority }), response: queueItemBody },
  'post /api/ocr/queue/pause': { response: z.strictObject({ paused: z.boolean() }) },
  'post /api/ocr/queue/resume': { response: z.strictObject({ paused: z.boolean() }) },

  'get /api/sources': { query: sourceListQuery, response: z.strictObject({ sources: z.array(sourceBody), pagination: paginationBody }) },
  'get /api/sources/{id}': { response: sourceBody },
  'post /api/sources': { body: createSourceRequest, response: sourceBody },
  'patch /api/sources/{id}': { body: updateSourceRequest, response: sourceBody },
  'delete /api/sources/{id}': {},
  'post /api/sources/test': { body: testSourceRequest, response: sourceTestBody },
  'post /api/sources/{id}/sync': {
    response: z.strictObject({ message: z.string(), job_id: z.uuid() }).meta({ id: 'SyncRequested' }),
  },
  'post /api/sources/{id}/sync/cancel': {
    response: z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'SyncCancelled' }),
  },
  'get /api/sources/{id}/sync-status': { response: syncStatusBody },
  'get /api/health/sources/{source_id}': { response: sourceHealthBody },

  'get /api/ingest': { query: ledgerQuery, response: pageOf(ledgerEntryBody) },

  'get /api/notifications': {
    query: notificationQuery,
    response: z.strictObject({ notifications: z.array(notificationBody), unread_count: z.int(), pagination: paginationBody }),
  },
  'put /api/notifications/{id}/read': { response: notificationBody },
  'put /api/notifications/read-all': { response: z.strictObject({ read: z.int() }) },
  'delete /api/notifications/{id}': {},

  'get /api/upload-limits': { response: uploadLimitsBody },
  'get /api/settings': { response: settingsAnswer },
  'put /api/settings': { body: settingsChange, response: settingsAnswer },
  'get /api/users/profile': { response: userBody },
  'patch /api/users/profile': { body: updateProfileRequest, response: userBody },
  'post /api/users/change-password': { body: changePasswordRequest, response: passwordChangedBody },

  'get /api/keys': { query: keyListQuery, response: pageOf(keyBody) },
  'post /api/keys': { body: createKeyRequest, response: createdKeyBody },
  'delete /api/keys/{id}': {},

  'get /api/roles': { query: roleListQuery, response: rolesBody },
  'put /api/roles': { body: rolesRequest, response: rolesBody },
  'get /api/users': { query: userListQuery, response: pageOf(managedUserBody) },
  'get /api/users/{user_id}': { response: managedUserBody },
  'post /api/users': { body: createUserRequest, response: userBody },
  'patch /api/users/{user_id}': { body: updateUserRequest, response: managedUserBody },
  'put /api/users/{user_id}/password': { body: givePasswordRequest, response: passwordChangedBody },
  'delete /api/users/{user_id}': {
    query: z.strictObject({ transfer_to: rowId.optional().describe('ID of the user who receives the documents') }),
  },
  'post /api/users/{user_id}/invitation': { response: invitationBody },
  'delete /api/users/{user_id}/mfa': {},
  'post /api/users/import': { body: importUsersRequest, response: importUsersBody },
  'get /api/users/imports/{id}': { response: userImportBody },
  'post /api/users/imports/{id}/invitations': { response: userImportInvitationsBody },
  'get /api/users/{user_id}/watch-directory': { response: watchDirectoryBody },
  'post /api/users/{user_id}/watch-directory': { body: ensureWatchDirectoryRequest, response: ensuredWatchDirectoryBody },
  'delete /api/users/{user_id}/watch-directory': { response: removedWatchDirectoryBody },

  'get /api/health': { response: healthBody },
  'get /api/health/detailed': { response: detailedHealthBody },
  'get /api/hosts': { query: hostListQuery, response: pageOf(hostBody) },
  'get /api/health/storage': { response: storageBody },
  'get /api/backups': {
    query: backupListQuery,
    response: z.strictObject({ data: z.array(backupBody), ...backupOverview, pagination: paginationBody }),
  },
  'post /api/backups': { response: backupRunBody },
  'post /api/backups/{name}/verify': { response: backupRunBody },
  'get /api/imports': { query: importListQuery, response: pageOf(importBody) },
  'post /api/imports': { body: importOrder, response: importBody },
  'get /api/imports/{id}': { response: importDetailsBody },
  'post /api/imports/{id}/start': { response: importBody },
  'post /api/imports/{id}/cancel': { response: importBody },
  'get /api/analytics/documents': { query: daysQuery, response: documentAnalyticsBody },
  'get /api/analytics/processing': { query: daysQuery, response: processingAnalyticsBody },
  'get /api/analytics/users': { response: userAnalyticsBody },
  'get /api/analytics/system': { response: systemAnalyticsBody },
  'get /api/audit': { query: auditQuery, response: pageOf(auditEntryBody) },
  'get /api/deliveries': { query: deliveryQuery, response: pageOf(deliveryBody) },
  'post /api/deliveries/{id}/retry': { response: deliveryBody },
} as const;
export type Interface = typeof INTERFACE;
