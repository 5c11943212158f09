import type { AppError, Issue } from '@sheaf/contract';

/** An error as Django REST framework answers it. */
export interface PaperlessError {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What fields of ours are called there. */
const FIELDS: Readonly<Record<string, string>> = {
  parent_id: 'parent',
  labels: 'tags',
  label_ids: 'tags',
  document_date: 'created',
  archive_number: 'archive_serial_number',
  correspondent_id: 'correspondent',
  document_type_id: 'document_type',
  fields: 'custom_fields',
  file: 'document',
  ids: 'documents',
  text: 'note',
  choices: 'extra_data',
  default_currency: 'extra_data',
  type: 'data_type',
};

const fieldOf = (path: string): string => {
  const name = path.split('.', 1)[0] ?? '';
  return name === '' ? 'non_field_errors' : (FIELDS[name] ?? name);
};

const UNKNOWN = 'is not supported';

/** Fields that are not known are named as those that are wrong. */
const messagesOf = ({ path, code, message, details: { keys } }: Issue): { readonly field: string; readonly message: string }[] =>
  code === 'unknown_keys' && path === '' && Array.isArray(keys)
    ? keys.map((key) => ({ field: String(key), message: UNKNOWN }))
    : [{ field: fieldOf(path), message }];

const byField = (issues: readonly Issue[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(issues.flatMap(messagesOf), ({ field }) => field)].map(([field, found]) => [
      field,
      found.map(({ message }) => message),
    ]),
  );

/** The field that a conflict is about. */
const conflictOf = ({ code, details }: AppError): string | undefined => {
  if (code === 'ARCHIVE_NUMBER_TAKEN') return 'archive_serial_number';
  return typeof details['name'] === 'string' ? 'name' : undefined;
};

/** The one place where our errors get the form of Paperless, which has no status for a conflict. */
export const toPaperlessError = (error: AppError): PaperlessError => {
  const { kind, details, message } = error;
  const status = kind === 'DUPLICATE_RESOURCE' ? 400 : error.status;
  const { issues = [] } = details;
  if (issues.length > 0) return { status, body: byField(issues) };
  const field = kind === 'DUPLICATE_RESOURCE' ? conflictOf(error) : undefined;
  return { status, body: field === undefined ? { detail: message } : { [field]: [message] } };
};
