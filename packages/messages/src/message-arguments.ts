// Generated from locales/en.json by `npm run messages`.

/** The arguments of each message that has any. */
export interface MessageArguments {
  readonly 'deliveries.next': {
    readonly when: string | number;
  };
  readonly 'deliveries.of': {
    readonly done: string | number;
    readonly most: string | number;
  };
  readonly 'document.missingLanguage': {
    readonly language: string | number;
    readonly command: string | number;
  };
  readonly 'document.page': {
    readonly page: string | number;
    readonly total: string | number;
  };
  readonly 'document.pageLabel': {
    readonly page: string | number;
  };
  readonly 'document.readByOcr': {
    readonly percent: string | number;
  };
  readonly 'document.removeField': {
    readonly name: string | number;
  };
  readonly 'document.removed': {
    readonly title: string | number;
  };
  readonly 'document.sourceRemoved': {
    readonly when: string | number;
  };
  readonly 'documents.count': {
    readonly count: number;
  };
  readonly 'documents.more': {
    readonly count: string | number;
  };
  readonly 'documents.page': {
    readonly percent: string | number;
  };
  readonly 'documents.readingAgain': {
    readonly count: number;
  };
  readonly 'documents.removed': {
    readonly count: number;
  };
  readonly 'documents.select': {
    readonly name: string | number;
  };
  readonly 'documents.selectAll': {
    readonly count: string | number;
  };
  readonly 'documents.selected': {
    readonly count: number;
  };
  readonly 'entry.verified': {
    readonly email: string | number;
  };
  readonly 'errors.ACCOUNT_LOCKED': {
    readonly retry_after_seconds: string | number;
  };
  readonly 'errors.DELIVERY_NOT_RETRIABLE': {
    readonly state: string | boolean | undefined;
  };
  readonly 'errors.DOCUMENTS_ARE_DUPLICATES': {
    readonly documents: string | number;
  };
  readonly 'errors.FEATURE_DISABLED': {
    readonly variable: string | number;
  };
  readonly 'errors.QUEUE_FULL': {
    readonly limit: string | number;
  };
  readonly 'errors.RATE_LIMITED': {
    readonly limit: string | number;
    readonly retry_after_seconds: string | number;
  };
  readonly 'errors.UNKNOWN': {
    readonly status: string | number;
  };
  readonly 'errors.UNREADABLE': {
    readonly name: string | number;
  };
  readonly 'errors.USER_OWNS_DOCUMENTS': {
    readonly documents: string | number;
  };
  readonly 'errors.WATCH_DIRECTORY_DISABLED': {
    readonly variable: string | number;
  };
  readonly 'errors.email_in_use': {
    readonly value: string | number;
  };
  readonly 'errors.label_exists': {
    readonly name: string | number;
  };
  readonly 'errors.permission_needed': {
    readonly permission: string | number;
  };
  readonly 'errors.role_too_strong': {
    readonly role: string | number;
  };
  readonly 'errors.too_large': {
    readonly max_bytes: string | number;
  };
  readonly 'errors.too_many_documents': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_files': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_second_factors': {
    readonly limit: string | number;
  };
  readonly 'errors.type_mismatch': {
    readonly found: string | boolean | undefined;
    readonly declared_type: string | number;
  };
  readonly 'errors.type_not_allowed': {
    readonly extension: string | number;
    readonly allowed_types: string | number;
  };
  readonly 'errors.unknown_type': {
    readonly extension: string | boolean | undefined;
  };
  readonly 'errors.upload_too_slow': {
    readonly limit_seconds: string | number;
  };
  readonly 'errors.username_in_use': {
    readonly value: string | number;
  };
  readonly 'firstRun.read': {
    readonly name: string | number;
  };
  readonly 'importLog.document_deleted_of': {
    readonly path: string | number;
  };
  readonly 'importLog.ignored_name': {
    readonly pattern: string | number;
  };
  readonly 'importLog.moved_from': {
    readonly path: string | number;
  };
  readonly 'importLog.moved_to': {
    readonly path: string | number;
  };
  readonly 'importLog.not_read_to_end': {
    readonly error: string | number;
  };
  readonly 'importLog.not_shown': {
    readonly status: string | number;
  };
  readonly 'importLog.owner_disabled': {
    readonly username: string | number;
  };
  readonly 'importLog.owner_unknown': {
    readonly username: string | number;
  };
  readonly 'importLog.path_with_dots': {
    readonly part: string | number;
  };
  readonly 'importLog.quarantined': {
    readonly crashes: number;
  };
  readonly 'importLog.queue_was_full': {
    readonly limit: string | number;
  };
  readonly 'importLog.request_refused': {
    readonly error: string | number;
  };
  readonly 'importLog.source_failed': {
    readonly problem: string | boolean | undefined;
    readonly error: string | number;
  };
  readonly 'importLog.storage_away': {
    readonly error: string | number;
  };
  readonly 'importLog.too_old': {
    readonly modified_at: string | number;
    readonly max_age_seconds: string | number;
  };
  readonly 'importLog.unreadable': {
    readonly error: string | number;
  };
  readonly 'importLogScreen.movedTo': {
    readonly path: string | number;
  };
  readonly 'issues.interval_between': {
    readonly minimum_seconds: string | number;
    readonly maximum_seconds: string | number;
  };
  readonly 'issues.language_not_installed': {
    readonly languages: string | number;
  };
  readonly 'issues.length_between': {
    readonly minimum: string | number;
    readonly maximum: string | number;
  };
  readonly 'issues.no_such_permission': {
    readonly permission: string | number;
  };
  readonly 'issues.no_such_role': {
    readonly values: string | number;
  };
  readonly 'issues.not_for_type': {
    readonly type: string | number;
  };
  readonly 'issues.not_multiple_of': {
    readonly divisor: string | number;
  };
  readonly 'issues.not_one_of': {
    readonly values: string | number;
  };
  readonly 'issues.too_big': {
    readonly maximum: string | number;
  };
  readonly 'issues.too_few': {
    readonly minimum: string | number;
  };
  readonly 'issues.too_long': {
    readonly maximum: string | number;
  };
  readonly 'issues.too_many': {
    readonly maximum: string | number;
  };
  readonly 'issues.too_short': {
    readonly minimum: string | number;
  };
  readonly 'issues.too_small': {
    readonly minimum: string | number;
  };
  readonly 'issues.unknown_keys': {
    readonly keys: string | number;
  };
  readonly 'issues.wrong_type': {
    readonly expected: string | number;
  };
  readonly 'labelPicker.create': {
    readonly name: string | number;
  };
  readonly 'labelPicker.remove': {
    readonly name: string | number;
  };
  readonly 'labels.count': {
    readonly count: number;
  };
  readonly 'labels.editOf': {
    readonly name: string | number;
  };
  readonly 'labels.removeOf': {
    readonly name: string | number;
  };
  readonly 'labels.removed': {
    readonly name: string | number;
  };
  readonly 'notificationScreen.bell': {
    readonly unread: number;
  };
  readonly 'notifications.messages.duplicate_skipped': {
    readonly filename: string | number;
    readonly reason: string | number;
  };
  readonly 'notifications.messages.ocr_completed': {
    readonly count: string | boolean | undefined;
    readonly title: string | number;
    readonly needs_attention: string | boolean | undefined;
    readonly confidence: string | boolean | undefined;
  };
  readonly 'notifications.messages.ocr_failed': {
    readonly title: string | number;
    readonly reason: string | number;
    readonly error: string | boolean | undefined;
  };
  readonly 'notifications.messages.security': {
    readonly by_others: string | boolean | undefined;
    readonly address: string | boolean | undefined;
  };
  readonly 'notifications.messages.sync_completed': {
    readonly total: number;
    readonly added: string | number;
    readonly updated: string | number;
    readonly moved: string | number;
    readonly removed: string | number;
    readonly failed: string | number;
  };
  readonly 'notifications.messages.sync_failed': {
    readonly code: string | number;
    readonly error: string | number;
  };
  readonly 'notifications.security.key.created': {
    readonly name: string | number;
  };
  readonly 'notifications.security.mfa.enabled': {
    readonly name: string | number;
  };
  readonly 'notifications.security.mfa.removed': {
    readonly name: string | number;
  };
  readonly 'notifications.titles.alert': {
    readonly level: string | boolean | undefined;
  };
  readonly 'notifications.titles.duplicate_skipped': {
    readonly count: number | undefined;
  };
  readonly 'notifications.titles.ocr_completed': {
    readonly count: number | undefined;
  };
  readonly 'notifications.titles.sync_completed': {
    readonly name: string | number;
  };
  readonly 'notifications.titles.sync_failed': {
    readonly name: string | number;
  };
  readonly 'problem.number': {
    readonly id: string | number;
  };
  readonly 'profile.codesLeft': {
    readonly count: number;
  };
  readonly 'profile.keyExpires': {
    readonly when: string | number;
  };
  readonly 'profile.lastSeen': {
    readonly when: string | number;
  };
  readonly 'profile.lastUsed': {
    readonly when: string | number;
  };
  readonly 'profile.removeOf': {
    readonly name: string | number;
  };
  readonly 'profile.revoked': {
    readonly name: string | number;
  };
  readonly 'profile.signOutOf': {
    readonly where: string | number;
  };
  readonly 'queue.again': {
    readonly attempt: string | number;
    readonly most: string | number;
  };
  readonly 'queue.average': {
    readonly duration: string | number;
  };
  readonly 'queue.cancelled': {
    readonly name: string | number;
  };
  readonly 'queue.pages': {
    readonly done: string | number;
    readonly total: string | number;
  };
  readonly 'queue.position': {
    readonly position: string | number;
  };
  readonly 'queue.priorityOf': {
    readonly name: string | number;
  };
  readonly 'refused.hint': {
    readonly permission: string | number;
  };
  readonly 'search.hits': {
    readonly isMore: string | boolean | undefined;
    readonly count: number;
  };
  readonly 'search.page': {
    readonly page: string | number;
  };
  readonly 'sourceScreen.checked': {
    readonly when: string | number;
  };
  readonly 'sourceScreen.documents': {
    readonly count: number;
  };
  readonly 'sourceScreen.everySeconds': {
    readonly duration: string | number;
  };
  readonly 'sourceScreen.progress': {
    readonly done: string | number;
    readonly total: string | number;
  };
  readonly 'sourceScreen.removed': {
    readonly name: string | number;
  };
  readonly 'system.resetOf': {
    readonly name: string | number;
  };
  readonly 'system.restartNeeded': {
    readonly names: string | number;
  };
  readonly 'table.page': {
    readonly number: string | number;
  };
  readonly 'table.range': {
    readonly from: string | number;
    readonly to: string | number;
    readonly total: string | number;
  };
  readonly 'uploads.cancel': {
    readonly name: string | number;
  };
  readonly 'uploads.failedCount': {
    readonly count: number;
  };
  readonly 'uploads.reading': {
    readonly percent: string | number;
  };
  readonly 'uploads.sending': {
    readonly percent: string | number;
  };
  readonly 'uploads.summary': {
    readonly done: string | number;
    readonly all: string | number;
  };
  readonly 'uploads.title': {
    readonly count: number;
  };
  readonly 'users.deleteTitle': {
    readonly name: string | number;
  };
  readonly 'users.editOf': {
    readonly name: string | number;
  };
  readonly 'users.entry': {
    readonly number: string | number;
  };
  readonly 'users.imported': {
    readonly count: number;
  };
  readonly 'users.removeOf': {
    readonly name: string | number;
  };
  readonly 'users.skipped': {
    readonly count: number;
  };
}
