/** The rule that a field of a request breaks. The web client has words for each, so one without words does not compile. */
export const ISSUE_CODES = [
  // of any field; `details` in brackets
  'required',
  'wrong_type', // expected
  'not_one_of', // values
  'unknown_keys', // keys
  'lacks_fields',
  'no_such_form',
  'other_folder',
  // how much there is
  'too_short', // minimum: characters
  'too_long', // maximum: characters
  'length_between', // minimum, maximum: characters
  'too_few', // minimum: entries
  'too_many', // maximum: entries
  'too_small', // minimum
  'too_big', // maximum
  'not_multiple_of', // divisor
  // how it is written
  'not_email',
  'not_id',
  'not_date',
  'not_amount',
  'not_currency',
  'not_json',
  'not_username',
  'not_role_name',
  'not_color',
  'not_address',
  'not_domain',
  'not_iban',
  'not_vat_id',
  'not_bucket',
  'not_region',
  'not_absolute_path',
  'not_language',
  'language_twice',
  'control_characters',
  'nul',
  'reserved_name',
  'too_many_digits', // digits, decimals
  'colon',
  'credentials_in_address',
  'query_in_address',
  'pattern_group',
  'pattern_open',
  'pattern_too_slow',
  // passwords
  'no_digit',
  'no_special_character',
  'same_as_user',
  // what does not go together
  'interval_between', // minimum_seconds, maximum_seconds
  'needed_with_password',
  'access_key_needed',
  'secret_key_needed',
  'secret_needed_again',
  'not_for_type', // type
  'not_for_field_type', // type
  'outside_roots',
  'no_roots',
  'outside_import_roots',
  'no_import_roots',
  'not_for_import_kind', // kind
  'zip_file_needed',
  'no_such_user',
  'language_not_installed', // languages
  'one_language_only',
  'no_such_document',
  'no_such_document_type',
  'unknown_field',
  'field_twice',
  'choice_twice',
  'no_such_role', // values
  'no_such_permission', // permission
  'role_twice',
  'all_for_admin_only',
  'admin_keeps_all',
  'built_in_role_missing', // values
  'same_user',
  'same_field',
  /** None of these: the message is all there is. */
  'other',
] as const;
export type IssueCode = (typeof ISSUE_CODES)[number];
