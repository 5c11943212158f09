/** Why an export cannot be read. */
export type PaperlessArchiveProblem =
  /** There is no such file or folder, or it cannot be opened. */
  | 'not_found'
  /** It is neither a folder nor a ZIP archive, or the archive is damaged or has too many entries. */
  | 'not_an_archive'
  /** There is no manifest.json. */
  | 'manifest_missing'
  /** A manifest is no JSON array of records. */
  | 'manifest_invalid'
  /** A record is larger than may be read. */
  | 'record_too_large'
  /** There is neither metadata.json nor version.json, or it names no version. */
  | 'metadata_missing'
  /** It names a version that this reader does not know. */
  | 'version_unsupported'
  /** It was made with --data-only: the documents are not in it. */
  | 'data_only'
  /** Its secrets are encrypted in a way that this reader does not know. */
  | 'encryption_unsupported'
  /** The passphrase is not the one of the export. */
  | 'passphrase_wrong'
  /** A file of the export cannot be read to its end as the export describes it. */
  | 'file_damaged';

export class PaperlessArchiveError extends Error {
  readonly code: PaperlessArchiveProblem;

  /** `detail` names the file, the record or the version it is about. */
  constructor(code: PaperlessArchiveProblem, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
  }

  readonly detail: string;
}
