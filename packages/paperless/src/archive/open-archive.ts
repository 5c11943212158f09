import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { PaperlessArchiveError } from './archive-error.ts';
import { describesExport, isSafeName } from './entry-name.ts';
import type { EntrySource, OpenedEntry } from './entry-source.ts';
import { openFolderSource } from './folder-source.ts';
import { readMetadata } from './metadata.ts';
import { MANIFEST, type PaperlessRecord, readRecords } from './read-records.ts';
import { type Decrypt, makeDecrypt } from './secrets.ts';
import { openZipSource } from './zip-source.ts';

/** An export of Paperless-ngx. Everything in it is a stranger's word. */
export interface PaperlessArchive extends AsyncDisposable {
  /** Of the Paperless-ngx that wrote it, such as 3.0.5. */
  readonly version: string;
  /** That of the checksums of its documents. */
  readonly checksumAlgorithm: 'md5' | 'sha256';
  /** Whether its passwords and tokens are encrypted. */
  readonly isEncrypted: boolean;
  /**
   * The records of these models, in one pass over the manifest and then over the manifests of single documents; may be called
   * again. Throws PaperlessArchiveError `manifest_invalid`, `record_too_large` and `file_damaged`.
   */
  records(models: readonly string[]): AsyncIterable<PaperlessRecord>;
  /**
   * A file of the export as a stream with its size; undefined where it is not in the export, the name leads out of it, several
   * files have the name, or it is no document. The stream must be read or destroyed; it fails with PaperlessArchiveError
   * `file_damaged` where the archive is damaged. Checksums are for the caller to compare.
   */
  openFile(name: string): Promise<{ readonly stream: Readable; readonly sizeBytes: number } | undefined>;
  /** The plain text of an encrypted secret; undefined where the passphrase is missing or the value is not encrypted with it. */
  decrypt(value: string): string | undefined;
}

const openSource = async (path: string): Promise<EntrySource> => {
  const stats = await stat(path).catch((error: unknown) => {
    throw new PaperlessArchiveError('not_found', path, error);
  });
  if (stats.isDirectory()) return openFolderSource(path);
  if (stats.isFile()) return openZipSource(path);
  throw new PaperlessArchiveError('not_an_archive', path);
};

/** As they are in the file system of who zipped it: a Mac writes decomposed letters. */
const formsOf = (name: string): ReadonlySet<string> => new Set([name, name.normalize('NFC'), name.normalize('NFD')]);

const openDocumentFile = async (source: EntrySource, name: string): Promise<OpenedEntry | undefined> => {
  if (!isSafeName(name) || describesExport(name)) return undefined;
  for (const form of formsOf(name)) {
    const opened = await source.open(form);
    if (opened !== undefined) return opened;
  }
  return undefined;
};

const isManifestThere = async (source: EntrySource): Promise<boolean> => {
  const manifest = await source.open(MANIFEST);
  manifest?.stream.destroy();
  return manifest !== undefined;
};

const hasDocumentFiles = async (source: EntrySource): Promise<boolean> => {
  for await (const name of source.names()) if (isSafeName(name) && !describesExport(name) && !name.startsWith('.')) return true;
  return false;
};

const hasRecords = async (source: EntrySource, model: string): Promise<boolean> => {
  for await (const _ of readRecords(source, [model])) return true;
  return false;
};

/** Fields that are encrypted in the records of these models. */
const SECRETS: Readonly<Record<string, string>> = { 'paperless_mail.mailaccount': 'password', 'socialaccount.socialtoken': 'token' };

/** Whether an encrypted secret can be opened; true where there is none to try. */
const isPassphraseRight = async (source: EntrySource, decrypt: Decrypt): Promise<boolean> => {
  for await (const { model, fields } of readRecords(source, Object.keys(SECRETS))) {
    const value = fields[SECRETS[model] ?? ''];
    if (typeof value === 'string' && value !== '') return decrypt(value) !== undefined;
  }
  return true;
};

/**
 * Opens an export: a folder, or a ZIP archive. Throws PaperlessArchiveError where it is none, where it holds no documents
 * (`data_only`), and where its secrets are encrypted with another passphrase; without a passphrase it opens all the same.
 */
export const openPaperlessArchive = async (
  path: string,
  { passphrase }: { readonly passphrase?: string } = {},
): Promise<PaperlessArchive> => {
  await using resources = new AsyncDisposableStack();
  const source = resources.use(await openSource(path));
  if (!(await isManifestThere(source))) throw new PaperlessArchiveError('manifest_missing', MANIFEST);
  const { version, checksumAlgorithm, crypto } = await readMetadata(source);
  if (!(await hasDocumentFiles(source)) && (await hasRecords(source, 'documents.document')))
    throw new PaperlessArchiveError('data_only', path);
  const decrypt = crypto === undefined || passphrase === undefined ? undefined : await makeDecrypt(crypto, passphrase);
  if (decrypt !== undefined && !(await isPassphraseRight(source, decrypt))) throw new PaperlessArchiveError('passphrase_wrong', path);
  const kept = resources.move();
  return {
    version,
    checksumAlgorithm,
    isEncrypted: crypto !== undefined,
    records: (models) => readRecords(source, models),
    openFile: (name) => openDocumentFile(source, name),
    decrypt: (value) => decrypt?.(value),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
};
