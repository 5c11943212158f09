import type { ImportSummary, NotImported } from '@sheaf/imports';

/** Text of strangers for a line of a terminal. */
const quoted = (text: string): string =>
  JSON.stringify(text)
    .replaceAll('\u007f', '\\u007f')
    .replaceAll(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** `document paperless:12 "Invoice": the file is missing`. */
export const lineOf = ({ kind, name, document, reason }: NotImported): string =>
  `${kind}${document === null ? '' : ` (${quoted(document).slice(1, -1)})`} ${quoted(name)}: ${quoted(reason).slice(1, -1)}`;

/** The counts, on a few lines. */
export const summaryOf = (summary: ImportSummary, isDryRun: boolean): string => {
  const { documents, checksums } = summary;
  const would = isDryRun ? ' (dry run, nothing was written)' : '';
  return [
    `documents: ${documents.imported} imported, ${documents.skipped} skipped (${summary.already_imported} of them imported before), ${documents.failed} failed, ${summary.queued} to be processed${would}`,
    `checksums: ${checksums.verified} verified, ${checksums.wrong} wrong`,
    `labels: ${summary.labels}, correspondents: ${summary.correspondents}, document types: ${summary.document_types}, fields: ${summary.fields} with ${summary.field_values} values, notes: ${summary.notes}`,
    `users: ${summary.users}, saved searches: ${summary.saved_searches}, rules: ${summary.rules}`,
    `not imported, or not as it was: ${summary.not_imported.length}`,
  ].join('\n');
};
