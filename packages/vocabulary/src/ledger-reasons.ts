/**
 * Why a file is in the state that the ledger gives it. The web client has words for each in the languages of its users, so one without
 * words does not compile.
 */
export const LEDGER_REASON_CODES = [
  // what it is; details in brackets
  'too_large', // max_bytes
  'empty',
  'unknown_type', // extension
  'type_not_allowed', // extension, allowed_types
  'type_mismatch', // declared_type, found
  'type_check_failed', // declared_type
  'not_einvoice',
  'ignored_name', // pattern
  'unwanted_name',
  'too_old', // modified_at, max_age_seconds
  'symbolic_link',
  'hard_link',
  'not_a_file',
  'outside_folder',
  'quarantined', // crashes
  // what it waits for
  'being_written',
  'write_locked',
  'no_right',
  'kept_by_another',
  'unreadable', // error
  'not_read_to_end', // error
  'queue_full',
  'storage_away', // error
  'no_owner_yet',
  'owner_unknown', // username
  'owner_disabled', // username
  'gone_while_waiting',
  // what exists already
  'duplicate_file',
  'duplicate_file_read_again',
  'document_deleted',
  'document_deleted_of', // path
  'document_in_trash',
  'restored_from_trash',
  // of a document that was imported: what its barcodes say and could not be done
  'archive_number_invalid', // text
  'archive_number_taken', // archive_number
  // of a document that was split: its parts, those that there were already, archive numbers on them that could not be given
  'split', // documents, parts, duplicates
  'split_without_numbers', // documents, parts, duplicates, numbers
  // of one that stays whole though its barcodes split it
  'not_split_signed',
  'not_split_encrypted',
  'not_split_damaged',
  'not_split_failed',
  'not_split_known', // duplicates
  // what became of what was sent
  'incomplete',
  'broken_off',
  'queue_was_full', // limit
  'too_many_files', // limit
  'unknown_labels',
  'duplicate_just_deleted',
  'request_refused', // error
  'database_away',
  'server_error',
  // files of sources
  'moved_from', // path
  'moved_to', // path
  'gone_at_source',
  'deleted_with_source',
  'changed_while_fetched',
  'source_failed', // problem, error
  'path_part_empty',
  'path_with_dots', // part
  'path_with_slash',
  'control_characters',
  'not_unicode',
  'badly_encoded',
  'another_server',
  'address_not_absolute',
  'address_not_web',
  'outside_source',
  'folder_not_found',
  'folder_forbidden',
  'folder_unreadable',
  'not_shown', // status
] as const;
export type LedgerReasonCode = (typeof LEDGER_REASON_CODES)[number];

/** The values that go with a code. */
export type LedgerReasonDetails = Readonly<Record<string, string | number | readonly string[]>>;

/** Why a file is in its state: for programs by the code, for people in words. */
export interface LedgerReason {
  readonly code: LedgerReasonCode;
  readonly message: string;
  readonly details: LedgerReasonDetails;
}
