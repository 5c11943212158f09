// Generated from locales/en.json by `npm run messages`.

/** The arguments of each message that has any. */
export interface MessageArguments {
  readonly 'audit.onlyOf': {
    readonly name: string | number;
  };
  readonly 'backups.hint': {
    readonly path: string | number;
  };
  readonly 'backups.last': {
    readonly when: string | number;
  };
  readonly 'backups.missingFiles': {
    readonly count: number;
  };
  readonly 'common.issueOfField': {
    readonly field: string | number;
    readonly issue: string | number;
  };
  readonly 'customFields.choiceInUse': {
    readonly count: number;
  };
  readonly 'customFields.count': {
    readonly count: number;
  };
  readonly 'customFields.currencyOf': {
    readonly name: string | number;
  };
  readonly 'customFields.editOf': {
    readonly name: string | number;
  };
  readonly 'customFields.mergeHint': {
    readonly count: number;
    readonly name: string | number;
  };
  readonly 'customFields.open': {
    readonly name: string | number;
  };
  readonly 'customFields.removeHint': {
    readonly count: number;
  };
  readonly 'customFields.removeOf': {
    readonly name: string | number;
  };
  readonly 'customFields.removeValue': {
    readonly name: string | number;
  };
  readonly 'customFields.removeValues': {
    readonly count: number;
  };
  readonly 'deliveries.next': {
    readonly when: string | number;
  };
  readonly 'deliveries.of': {
    readonly done: string | number;
    readonly most: string | number;
  };
  readonly 'document.chooseFact': {
    readonly value: string | number;
  };
  readonly 'document.confirmFact': {
    readonly value: string | number;
  };
  readonly 'document.missingLanguage': {
    readonly language: string | number;
    readonly command: string | number;
  };
  readonly 'document.moreFacts': {
    readonly count: number;
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
  readonly 'document.searchablePdfProgress': {
    readonly percent: string | number;
  };
  readonly 'document.setByRule': {
    readonly name: string | number;
  };
  readonly 'document.showFact': {
    readonly value: string | number;
    readonly page: string | number;
  };
  readonly 'document.sourceRemoved': {
    readonly when: string | number;
  };
  readonly 'documents.count': {
    readonly count: number;
  };
  readonly 'documents.downloading': {
    readonly count: number;
  };
  readonly 'documents.more': {
    readonly count: string | number;
  };
  readonly 'documents.page': {
    readonly percent: string | number;
  };
  readonly 'documents.rangeTooLong': {
    readonly count: string | number;
  };
  readonly 'documents.readingAgain': {
    readonly count: number;
  };
  readonly 'documents.removalNumber': {
    readonly number: string | number;
  };
  readonly 'documents.removalTitle': {
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
  readonly 'einvoice.attachment': {
    readonly number: string | number;
  };
  readonly 'einvoice.differs': {
    readonly name: string | number;
    readonly xml: string | number;
    readonly page: string | number;
  };
  readonly 'einvoice.invalid': {
    readonly count: number;
  };
  readonly 'einvoice.notOnPages': {
    readonly name: string | number;
    readonly xml: string | number;
  };
  readonly 'einvoice.sumsInvalid': {
    readonly count: number;
  };
  readonly 'entry.verified': {
    readonly email: string | number;
  };
  readonly 'errors.ACCOUNT_LOCKED': {
    readonly retry_after_seconds: string | number;
  };
  readonly 'errors.BACKUP_NOT_FOUND': {
    readonly name: string | number;
  };
  readonly 'errors.BACKUP_PATH_UNUSABLE': {
    readonly path: string | number;
    readonly problem: string | number;
  };
  readonly 'errors.DELIVERY_NOT_RETRIABLE': {
    readonly state: string | boolean | undefined;
  };
  readonly 'errors.DOCUMENTS_ARE_DUPLICATES': {
    readonly documents: string | number;
  };
  readonly 'errors.EINVOICE_UNREADABLE': {
    readonly problem: string | boolean | undefined;
  };
  readonly 'errors.FEATURE_DISABLED': {
    readonly variable: string | number;
  };
  readonly 'errors.FIELD_CHOICE_IN_USE': {
    readonly document_count: number;
  };
  readonly 'errors.FIELD_HAS_VALUES': {
    readonly document_count: number;
  };
  readonly 'errors.FIELD_IN_USE': {
    readonly document_count: number;
  };
  readonly 'errors.IMPORT_ENDED': {
    readonly state: string | boolean | undefined;
  };
  readonly 'errors.PAGES_NOT_EDITABLE': {
    readonly problem: string | boolean | undefined;
  };
  readonly 'errors.QUEUE_FULL': {
    readonly limit: string | number;
  };
  readonly 'errors.RATE_LIMITED': {
    readonly limit: string | number;
    readonly retry_after_seconds: string | number;
  };
  readonly 'errors.SEARCHABLE_PDF_NOT_AVAILABLE': {
    readonly problem: string | boolean | undefined;
  };
  readonly 'errors.SIGNATURES_UNREADABLE': {
    readonly problem: string | boolean | undefined;
  };
  readonly 'errors.UNKNOWN': {
    readonly status: string | number;
  };
  readonly 'errors.UNREADABLE': {
    readonly name: string | number;
  };
  readonly 'errors.USER_OWNS_DOCUMENTS': {
    readonly documents: number;
  };
  readonly 'errors.WATCH_DIRECTORY_DISABLED': {
    readonly variable: string | number;
  };
  readonly 'errors.correspondent_exists': {
    readonly name: string | number;
  };
  readonly 'errors.document_type_exists': {
    readonly name: string | number;
  };
  readonly 'errors.download_too_large': {
    readonly max_bytes: string | number;
  };
  readonly 'errors.email_in_use': {
    readonly value: string | number;
  };
  readonly 'errors.field_exists': {
    readonly name: string | number;
  };
  readonly 'errors.label_exists': {
    readonly name: string | number;
  };
  readonly 'errors.not_confirmed': {
    readonly matched: number;
  };
  readonly 'errors.permission_needed': {
    readonly permission: string | number;
  };
  readonly 'errors.proof_required': {
    readonly fields: string | number;
  };
  readonly 'errors.requester_permission_lost': {
    readonly permission: string | number;
  };
  readonly 'errors.role_in_use': {
    readonly role: string | number;
  };
  readonly 'errors.role_too_strong': {
    readonly role: string | number;
  };
  readonly 'errors.roles_from_file': {
    readonly variable: string | number;
  };
  readonly 'errors.storage_access_denied': {
    readonly storage: string | number;
    readonly action: string | boolean | undefined;
    readonly error: string | number;
    readonly credentials_setting: string | number;
  };
  readonly 'errors.storage_account_disabled': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_certificate_invalid': {
    readonly storage: string | number;
    readonly host: string | number;
    readonly error: string | number;
    readonly setting: string | number;
    readonly verification: string | boolean | undefined;
  };
  readonly 'errors.storage_checksum_mismatch': {
    readonly storage: string | number;
    readonly error: string | boolean | undefined;
  };
  readonly 'errors.storage_class_unsupported': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_clock_differs': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_credentials_rejected': {
    readonly storage: string | number;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_disconnected': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_encryption_unsupported': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_firewall': {
    readonly storage: string | number;
    readonly action: string | boolean | undefined;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_folder_not_creatable': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_full': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_host_unknown': {
    readonly storage: string | number;
    readonly host: string | number;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_https_unsupported': {
    readonly storage: string | number;
    readonly host: string | number;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_invalid_response': {
    readonly storage: string | number;
    readonly host: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_io_error': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_key_rejected': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_kms_key_unusable': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_missing': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_not_a_folder': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_not_found': {
    readonly storage: string | number;
    readonly error: string | number;
    readonly location_setting: string | number;
  };
  readonly 'errors.storage_not_responding': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_not_writable': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_object_archived': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_process_file_limit': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_quota_reached': {
    readonly storage: string | number;
    readonly error: string | boolean | undefined;
  };
  readonly 'errors.storage_ranges_ignored': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_rate_limited': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_read_only': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_redirected': {
    readonly storage: string | number;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_region_wrong': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_request_failed': {
    readonly storage: string | number;
    readonly action: string | boolean | undefined;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.storage_request_unsupported': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_server_error': {
    readonly storage: string | number;
    readonly error: string | number;
  };
  readonly 'errors.storage_system_file_limit': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_transfer_closed': {
    readonly storage: string | number;
  };
  readonly 'errors.storage_transfer_incomplete': {
    readonly storage: string | number;
    readonly received_bytes: string | number;
    readonly expected_bytes: string | number;
  };
  readonly 'errors.storage_transfer_stalled': {
    readonly storage: string | number;
    readonly limit_seconds: string | number;
  };
  readonly 'errors.storage_unreachable': {
    readonly storage: string | number;
    readonly host: string | number;
    readonly error: string | number;
    readonly setting: string | number;
  };
  readonly 'errors.too_large': {
    readonly max_bytes: string | number;
  };
  readonly 'errors.too_many_choices': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_document_fields': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_documents': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_fields': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_files': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_label_levels': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_notes': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_pages': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_pins': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_rules': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_saved_searches': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_second_factors': {
    readonly limit: string | number;
  };
  readonly 'errors.too_many_shares': {
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
  readonly 'errors.unknown_pages': {
    readonly page: string | number;
    readonly page_count: string | number;
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
  readonly 'filing.clear': {
    readonly field: string | number;
  };
  readonly 'filing.createNamed': {
    readonly name: string | number;
  };
  readonly 'filing.mergeHint': {
    readonly count: number;
    readonly name: string | number;
  };
  readonly 'filing.mergeOf': {
    readonly name: string | number;
  };
  readonly 'filing.merged': {
    readonly name: string | number;
    readonly into: string | number;
  };
  readonly 'filing.removalHint': {
    readonly count: number;
  };
  readonly 'filing.removed': {
    readonly name: string | number;
  };
  readonly 'firstRun.read': {
    readonly name: string | number;
  };
  readonly 'health.failingSources': {
    readonly count: number;
  };
  readonly 'hosts.active': {
    readonly processes: string | number;
  };
  readonly 'hosts.standby': {
    readonly processes: string | number;
  };
  readonly 'importLog.archive_number_invalid': {
    readonly text: string | number;
  };
  readonly 'importLog.archive_number_taken': {
    readonly archive_number: string | number;
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
  readonly 'importLog.split': {
    readonly documents: string | number;
  };
  readonly 'importLog.split_without_numbers': {
    readonly documents: string | number;
    readonly numbers: string | number;
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
  readonly 'imports.firstLines': {
    readonly count: number;
  };
  readonly 'imports.notImportedCount': {
    readonly count: number;
  };
  readonly 'imports.reached': {
    readonly done: string | number;
    readonly total: string | number;
  };
  readonly 'imports.reportOf': {
    readonly name: string | number;
  };
  readonly 'issues.built_in_role_missing': {
    readonly values: string | number;
  };
  readonly 'issues.interval_between': {
    readonly minimum_seconds: string | number;
    readonly maximum_seconds: string | number;
  };
  readonly 'issues.lacks_fields': {
    readonly forms: string | number;
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
  readonly 'issues.not_for_field_type': {
    readonly type: string | number;
  };
  readonly 'issues.not_for_import_kind': {
    readonly kind: string | number;
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
    readonly minimum: number;
  };
  readonly 'issues.too_long': {
    readonly maximum: number;
  };
  readonly 'issues.too_many': {
    readonly maximum: number;
  };
  readonly 'issues.too_many_digits': {
    readonly digits: string | number;
    readonly decimals: string | number;
  };
  readonly 'issues.too_short': {
    readonly minimum: number;
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
  readonly 'notifications.mail.sentBy': {
    readonly url: string | number;
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
  readonly 'notifications.messages.saved_search_match': {
    readonly count: number;
    readonly title: string | number;
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
  readonly 'notifications.titles.saved_search_match': {
    readonly count: number;
    readonly name: string | number;
  };
  readonly 'notifications.titles.sync_completed': {
    readonly name: string | number;
  };
  readonly 'notifications.titles.sync_failed': {
    readonly name: string | number;
  };
  readonly 'pageEditor.appendPages': {
    readonly count: number;
  };
  readonly 'pageEditor.appendedProblem': {
    readonly title: string | number;
  };
  readonly 'pageEditor.count': {
    readonly count: number;
  };
  readonly 'pageEditor.kept': {
    readonly number: string | number;
  };
  readonly 'pageEditor.part': {
    readonly number: string | number;
  };
  readonly 'pageEditor.saved': {
    readonly number: string | number;
  };
  readonly 'pageEditor.selected': {
    readonly count: number;
  };
  readonly 'pageEditor.signedHint': {
    readonly number: string | number;
  };
  readonly 'pageEditor.splitDone': {
    readonly count: number;
  };
  readonly 'pageEditor.turned': {
    readonly degrees: string | number;
  };
  readonly 'pageEditor.willSplit': {
    readonly count: number;
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
  readonly 'profile.keyExpiryDays': {
    readonly count: number;
  };
  readonly 'profile.lastSeen': {
    readonly when: string | number;
  };
  readonly 'profile.lastUsed': {
    readonly when: string | number;
  };
  readonly 'profile.passwordAndKeysChanged': {
    readonly count: number;
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
  readonly 'registration.passwordHint': {
    readonly minimum: string | number;
    readonly number: string | boolean | undefined;
    readonly special: string | boolean | undefined;
  };
  readonly 'roleScreen.editOf': {
    readonly name: string | number;
  };
  readonly 'roleScreen.ownOnlyOf': {
    readonly permission: string | number;
  };
  readonly 'roleScreen.removeOf': {
    readonly name: string | number;
  };
  readonly 'roleScreen.userCount': {
    readonly count: number;
  };
  readonly 'rules.added': {
    readonly field: string | number;
    readonly to: string | number;
  };
  readonly 'rules.applied': {
    readonly count: number;
  };
  readonly 'rules.applyOf': {
    readonly name: string | number;
  };
  readonly 'rules.change': {
    readonly field: string | number;
    readonly from: string | number;
    readonly to: string | number;
  };
  readonly 'rules.editOf': {
    readonly name: string | number;
  };
  readonly 'rules.isEnabledOf': {
    readonly name: string | number;
  };
  readonly 'rules.kept': {
    readonly count: number;
  };
  readonly 'rules.matched': {
    readonly count: number;
  };
  readonly 'rules.more': {
    readonly count: number;
  };
  readonly 'rules.moveDownOf': {
    readonly name: string | number;
  };
  readonly 'rules.moveUpOf': {
    readonly name: string | number;
  };
  readonly 'rules.removeField': {
    readonly name: string | number;
  };
  readonly 'rules.removeOf': {
    readonly name: string | number;
  };
  readonly 'rules.removed': {
    readonly name: string | number;
  };
  readonly 'rules.undoOf': {
    readonly name: string | number;
  };
  readonly 'rules.undone': {
    readonly count: number;
  };
  readonly 'rules.wouldChange': {
    readonly count: number;
  };
  readonly 'rules.wouldChangeAtLeast': {
    readonly count: number;
  };
  readonly 'savedSearches.downOf': {
    readonly name: string | number;
  };
  readonly 'savedSearches.editOf': {
    readonly name: string | number;
  };
  readonly 'savedSearches.notifyOf': {
    readonly name: string | number;
  };
  readonly 'savedSearches.pinOf': {
    readonly name: string | number;
  };
  readonly 'savedSearches.removeOf': {
    readonly name: string | number;
  };
  readonly 'savedSearches.removed': {
    readonly name: string | number;
  };
  readonly 'savedSearches.saved': {
    readonly name: string | number;
  };
  readonly 'savedSearches.shareOf': {
    readonly name: string | number;
  };
  readonly 'savedSearches.upOf': {
    readonly name: string | number;
  };
  readonly 'screenErrors.not_confirmed': {
    readonly matched: number;
  };
  readonly 'search.atLeast': {
    readonly count: string | number;
  };
  readonly 'search.datedSince': {
    readonly day: string | number;
  };
  readonly 'search.datedUntil': {
    readonly day: string | number;
  };
  readonly 'search.documentDate': {
    readonly day: string | number;
  };
  readonly 'search.hits': {
    readonly isMore: string | boolean | undefined;
    readonly count: number;
  };
  readonly 'search.page': {
    readonly page: string | number;
  };
  readonly 'search.removeFilter': {
    readonly name: string | number;
  };
  readonly 'search.warnInvalidValue': {
    readonly part: string | number;
  };
  readonly 'search.warnNoWords': {
    readonly part: string | number;
  };
  readonly 'search.warnOnlyExclusions': {
    readonly part: string | number;
  };
  readonly 'search.warnTooManyWords': {
    readonly part: string | number;
  };
  readonly 'search.warnUnknownCustomField': {
    readonly part: string | number;
  };
  readonly 'search.warnUnknownField': {
    readonly part: string | number;
  };
  readonly 'serviceProblems.another_instance_runs': {
    readonly holder: string | boolean | undefined;
    readonly host: string | number;
    readonly started_at: string | number;
    readonly process: string | number;
    readonly restore: string | boolean | undefined;
  };
  readonly 'serviceProblems.another_instance_took_over': {
    readonly process: string | number;
  };
  readonly 'serviceProblems.backup_damaged': {
    readonly name: string | number;
    readonly error: string | boolean | undefined;
  };
  readonly 'serviceProblems.backup_failed': {
    readonly problem: string | boolean | undefined;
    readonly error: string | boolean | undefined;
  };
  readonly 'serviceProblems.backup_newer': {
    readonly version: string | number;
    readonly expected: string | number;
    readonly service_version: string | number;
  };
  readonly 'serviceProblems.backup_not_intact': {
    readonly findings: string | number;
  };
  readonly 'serviceProblems.backup_restored_differently': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.component_recovered': {
    readonly component: string | number;
  };
  readonly 'serviceProblems.cpu_usage_high': {
    readonly percent: string | number;
  };
  readonly 'serviceProblems.database_certificate_unreadable': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.database_certificate_untrusted': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.database_client_certificate_rejected': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.database_connection_lost': {
    readonly operation: string | boolean | undefined;
  };
  readonly 'serviceProblems.database_connection_rejected': {
    readonly place: string | number;
    readonly error: string | number;
    readonly remedy: string | boolean | undefined;
    readonly variables: string | number;
  };
  readonly 'serviceProblems.database_connections_in_use': {
    readonly connections: string | number;
  };
  readonly 'serviceProblems.database_not_empty': {
    readonly rows: string | number;
    readonly table: string | number;
  };
  readonly 'serviceProblems.database_not_reached': {
    readonly place: string | number;
    readonly error: string | number;
    readonly variables: string | number;
  };
  readonly 'serviceProblems.database_pooler_parameter_rejected': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.database_silent': {
    readonly limit_seconds: string | number;
  };
  readonly 'serviceProblems.database_was_unreachable': {
    readonly since_at: string | number;
  };
  readonly 'serviceProblems.deliveries_failing': {
    readonly channel: string | boolean | undefined;
  };
  readonly 'serviceProblems.disk_usage_high': {
    readonly path: string | number;
    readonly percent: string | number;
    readonly free_bytes: string | number;
  };
  readonly 'serviceProblems.disk_usage_normal': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.documents_with_earlier_facts': {
    readonly documents: number;
  };
  readonly 'serviceProblems.documents_without_facts': {
    readonly documents: number;
  };
  readonly 'serviceProblems.embedded_database_folder_closed': {
    readonly user: string | number;
    readonly folder: string | number;
    readonly path: string | number;
  };
  readonly 'serviceProblems.embedded_database_folder_not_empty': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.embedded_database_in_use': {
    readonly path: string | number;
    readonly pid: string | boolean | undefined;
  };
  readonly 'serviceProblems.embedded_database_link_broken': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.embedded_database_no_free_port': {
    readonly port: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_copied': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_created': {
    readonly path: string | number;
    readonly error: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_installed': {
    readonly platform: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_owned': {
    readonly path: string | number;
    readonly user: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_started': {
    readonly ending: string | number;
    readonly output: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_stopping': {
    readonly pid: string | number;
    readonly path: string | number;
  };
  readonly 'serviceProblems.embedded_database_not_writable': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.embedded_database_os_user_missing': {
    readonly user: string | number;
  };
  readonly 'serviceProblems.embedded_database_owned_by_other': {
    readonly path: string | number;
    readonly owner: string | number;
    readonly user: string | number;
  };
  readonly 'serviceProblems.embedded_database_version_differs': {
    readonly path: string | number;
    readonly found: string | number;
    readonly expected: string | number;
  };
  readonly 'serviceProblems.export_target_exists': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.export_target_not_empty': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.export_target_not_folder': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.export_target_unsafe': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.files_not_moved': {
    readonly files: number;
    readonly folder: string | number;
    readonly error: string | number;
  };
  readonly 'serviceProblems.folder_unusable': {
    readonly variable: string | number;
    readonly path: string | number;
    readonly reason: string | number;
  };
  readonly 'serviceProblems.host_secret_differs': {
    readonly variable: string | number;
    readonly host: string | number;
  };
  readonly 'serviceProblems.host_unknown': {
    readonly host: string | number;
    readonly known: string | boolean | undefined;
  };
  readonly 'serviceProblems.ldap_search_failed': {
    readonly base_dn: string | number;
  };
  readonly 'serviceProblems.ldap_setting_invalid': {
    readonly variable: string | number;
    readonly error: string | number;
  };
  readonly 'serviceProblems.libreoffice_missing': {
    readonly packages: string | number;
  };
  readonly 'serviceProblems.listen_address_in_use': {
    readonly listener: string | number;
    readonly address: string | number;
    readonly variable: string | number;
  };
  readonly 'serviceProblems.listen_address_missing': {
    readonly listener: string | number;
    readonly address: string | number;
    readonly variable: string | number;
  };
  readonly 'serviceProblems.listen_family_missing': {
    readonly listener: string | number;
    readonly address: string | number;
    readonly variable: string | number;
  };
  readonly 'serviceProblems.listen_host_unknown': {
    readonly listener: string | number;
    readonly address: string | number;
    readonly variable: string | number;
  };
  readonly 'serviceProblems.listen_port_privileged': {
    readonly listener: string | number;
    readonly address: string | number;
    readonly variable: string | number;
  };
  readonly 'serviceProblems.loop_failing': {
    readonly loop: string | number;
    readonly error: string | number;
  };
  readonly 'serviceProblems.memory_limit_exceeded': {
    readonly used_bytes: string | number;
    readonly limit_bytes: string | number;
  };
  readonly 'serviceProblems.memory_usage_high': {
    readonly percent: string | number;
  };
  readonly 'serviceProblems.migration_changed': {
    readonly version: string | number;
    readonly name: string | number;
  };
  readonly 'serviceProblems.migration_deletes_data': {
    readonly documents: number;
    readonly users: number;
  };
  readonly 'serviceProblems.migration_failed': {
    readonly ending: string | number;
  };
  readonly 'serviceProblems.migration_target_newer': {
    readonly version: string | number;
  };
  readonly 'serviceProblems.migration_unknown': {
    readonly version: string | number;
    readonly name: string | number;
  };
  readonly 'serviceProblems.ocr_language_without_host': {
    readonly languages: string | number;
    readonly argument: string | number;
  };
  readonly 'serviceProblems.ocr_languages_missing': {
    readonly languages: string | number;
    readonly argument: string | number;
  };
  readonly 'serviceProblems.ocr_queue_full': {
    readonly limit: string | number;
  };
  readonly 'serviceProblems.ocr_queue_stalled': {
    readonly documents: number;
    readonly minutes: number;
  };
  readonly 'serviceProblems.oidc_discovery_failed': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.oidc_keys_unavailable': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.path_unreadable': {
    readonly path: string | number;
  };
  readonly 'serviceProblems.poppler_missing': {
    readonly packages: string | number;
  };
  readonly 'serviceProblems.process_configuration_differs': {
    readonly process: string | number;
    readonly restart: string | number;
  };
  readonly 'serviceProblems.process_crashing': {
    readonly process: string | number;
    readonly crashes: string | number;
    readonly signal: string | boolean | undefined;
    readonly exit_code: string | number;
    readonly unresponsive: string | boolean | undefined;
    readonly state: string | boolean | undefined;
    readonly state_at: string | number;
  };
  readonly 'serviceProblems.process_ends_service': {
    readonly process: string | number;
    readonly exit_code: string | boolean | undefined;
  };
  readonly 'serviceProblems.process_not_ready': {
    readonly process: string | number;
    readonly state: string | boolean | undefined;
    readonly ending: string | boolean | undefined;
  };
  readonly 'serviceProblems.process_not_supervised': {
    readonly process: string | number;
    readonly error: string | number;
  };
  readonly 'serviceProblems.process_recovered': {
    readonly process: string | number;
  };
  readonly 'serviceProblems.process_silent': {
    readonly process: string | number;
    readonly last_heartbeat_at: string | number;
  };
  readonly 'serviceProblems.process_stopped': {
    readonly process: string | number;
  };
  readonly 'serviceProblems.process_version_differs': {
    readonly process: string | number;
    readonly restart: string | number;
  };
  readonly 'serviceProblems.rate_limits_not_shared': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.read_replica_behind': {
    readonly seconds: string | number;
  };
  readonly 'serviceProblems.read_replica_unreachable': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.replica_lock_not_reacquired': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.restore_schema_newer': {
    readonly version: string | number;
  };
  readonly 'serviceProblems.saml_key_invalid': {
    readonly variable: string | number;
    readonly error: string | number;
  };
  readonly 'serviceProblems.schema_incomplete': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.schema_newer': {
    readonly version: string | number;
    readonly expected: string | number;
  };
  readonly 'serviceProblems.schema_outdated': {
    readonly version: string | number;
    readonly expected: string | number;
  };
  readonly 'serviceProblems.service_running': {
    readonly process: string | number;
    readonly pid: string | number;
    readonly host: string | number;
  };
  readonly 'serviceProblems.session_store_unreachable': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.sign_in_test_in_browser': {
    readonly method: string | boolean | undefined;
  };
  readonly 'serviceProblems.source_reachable': {
    readonly name: string | number;
  };
  readonly 'serviceProblems.source_unreachable': {
    readonly name: string | number;
    readonly source_problem: string | number;
  };
  readonly 'serviceProblems.storage_failing': {
    readonly error: string | number;
  };
  readonly 'serviceProblems.storage_low_space': {
    readonly place: string | number;
    readonly free_bytes: string | number;
  };
  readonly 'serviceProblems.storage_unavailable': {
    readonly place: string | number;
  };
  readonly 'serviceProblems.stored_files_damaged': {
    readonly files: number;
    readonly missing: string | number;
    readonly damaged: string | number;
    readonly unreadable: string | number;
  };
  readonly 'serviceProblems.tesseract_missing': {
    readonly packages: string | number;
  };
  readonly 'serviceProblems.upload_folder_not_shared': {
    readonly path: string | number;
    readonly host: string | number;
  };
  readonly 'serviceProblems.user_unknown': {
    readonly username: string | number;
  };
  readonly 'serviceProblems.watch_folder_unusable': {
    readonly folder: string | number;
    readonly error: string | number;
    readonly variable: string | number;
  };
  readonly 'sharePage.count': {
    readonly count: number;
  };
  readonly 'sharePage.download': {
    readonly size: string | number;
  };
  readonly 'sharePage.page': {
    readonly page: string | number;
    readonly total: string | number;
  };
  readonly 'sharePage.passwordLimited': {
    readonly retry_after_seconds: string | number;
  };
  readonly 'sharePage.text': {
    readonly page: string | number;
  };
  readonly 'sharedFiles.leftOut': {
    readonly count: number;
    readonly files: string | number;
    readonly size: string | number;
  };
  readonly 'sharedFiles.upload': {
    readonly count: number;
  };
  readonly 'shares.days': {
    readonly count: number;
  };
  readonly 'shares.passwordHint': {
    readonly minimum: string | number;
  };
  readonly 'shares.revokeOf': {
    readonly name: string | number;
  };
  readonly 'shares.shareOf': {
    readonly name: string | number;
  };
  readonly 'signatures.signedAt': {
    readonly when: string | number;
  };
  readonly 'similar.compareTitle': {
    readonly percent: string | number;
  };
  readonly 'similar.noPage': {
    readonly number: string | number;
  };
  readonly 'similar.olderVersionOf': {
    readonly title: string | number;
  };
  readonly 'similar.pageOf': {
    readonly number: string | number;
    readonly title: string | number;
  };
  readonly 'similar.percent': {
    readonly percent: string | number;
  };
  readonly 'similar.removeOf': {
    readonly title: string | number;
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
  readonly 'split.into': {
    readonly count: number;
  };
  readonly 'split.pages': {
    readonly count: number;
    readonly pages: string | number;
  };
  readonly 'split.part': {
    readonly number: string | number;
  };
  readonly 'split.whole': {
    readonly number: string | number;
  };
  readonly 'storage.free': {
    readonly free: string | number;
    readonly size: string | number;
  };
  readonly 'storage.size': {
    readonly size: string | number;
  };
  readonly 'storage.threshold': {
    readonly percent: string | number;
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
  readonly 'trash.days': {
    readonly count: number;
  };
  readonly 'trash.emptyTitle': {
    readonly count: number;
  };
  readonly 'trash.purgeOf': {
    readonly title: string | number;
  };
  readonly 'trash.purgeTitle': {
    readonly title: string | number;
  };
  readonly 'trash.restoreOf': {
    readonly title: string | number;
  };
  readonly 'trash.restored': {
    readonly title: string | number;
  };
  readonly 'trash.restoredWithout': {
    readonly title: string | number;
    readonly number: string | number;
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
  readonly 'users.importReached': {
    readonly done: string | number;
    readonly total: string | number;
  };
  readonly 'users.imported': {
    readonly count: number;
  };
  readonly 'users.inviteAgainOf': {
    readonly name: string | number;
  };
  readonly 'users.inviteSent': {
    readonly email: string | number;
  };
  readonly 'users.invited': {
    readonly name: string | number;
  };
  readonly 'users.passwordSet': {
    readonly name: string | number;
    readonly count: number;
  };
  readonly 'users.removeOf': {
    readonly name: string | number;
  };
  readonly 'users.resetMfaOf': {
    readonly name: string | number;
  };
  readonly 'users.skipped': {
    readonly count: number;
  };
  readonly 'versions.compareOf': {
    readonly number: string | number;
  };
  readonly 'versions.compareTitle': {
    readonly older: string | number;
    readonly newer: string | number;
  };
  readonly 'versions.downloadOf': {
    readonly number: string | number;
  };
  readonly 'versions.page': {
    readonly number: string | number;
  };
  readonly 'versions.pages': {
    readonly count: number;
  };
  readonly 'versions.restoreOf': {
    readonly number: string | number;
  };
  readonly 'versions.version': {
    readonly number: string | number;
  };
  readonly 'versions.viewOf': {
    readonly number: string | number;
  };
  readonly 'viewer.printing': {
    readonly done: string | number;
    readonly count: string | number;
  };
}
