import { isUtf8 } from 'node:buffer';
import { createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { z } from 'zod';
import {
  describesExport,
  type EntrySource,
  isSafeName,
  isSplitManifest,
  type OpenedEntry,
  openFolderSource,
  openZipSource,
} from './folder-source.ts';
import { jsonElements, PaperlessArchiveError } from './json-elements.ts';

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

const deriveKey = promisify(pbkdf2);

/** Version, time, initialization vector; the encrypted text; the signature. */
const VERSION_BYTE = 0x80;
const IV_AT = 9;
const TEXT_AT = 25;
const SIGNATURE_BYTES = 32;
const BLOCK_BYTES = 16;
const HALF_KEY = 16;
const MAX_CHARS = 1024 * 1024;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64_URL = /^[\w-]+={0,2}$/;

/** Returns the plain text of an encrypted value; undefined where it is none, or was encrypted with another key. */
type Decrypt = (value: string) => string | undefined;

/** Values are Fernet tokens, written as hexadecimal digits: AES-128-CBC, signed by HMAC-SHA256. */
const openToken = (key: Buffer, value: string): string | undefined => {
  if (value.length > MAX_CHARS || !HEX.test(value)) return undefined;
  const text = Buffer.from(value, 'hex').toString('latin1');
  if (!BASE64_URL.test(text)) return undefined;
  const token = Buffer.from(text, 'base64url');
  const signatureAt = token.length - SIGNATURE_BYTES;
  if (token[0] !== VERSION_BYTE || signatureAt < TEXT_AT + BLOCK_BYTES || (signatureAt - TEXT_AT) % BLOCK_BYTES !== 0) return undefined;
  const signature = createHmac('sha256', key.subarray(0, HALF_KEY)).update(token.subarray(0, signatureAt)).digest();
  if (!timingSafeEqual(signature, token.subarray(signatureAt))) return undefined;
  try {
    const cipher = createDecipheriv('aes-128-cbc', key.subarray(HALF_KEY), token.subarray(IV_AT, TEXT_AT));
    return Buffer.concat([cipher.update(token.subarray(TEXT_AT, signatureAt)), cipher.final()]).toString();
  } catch {
    return undefined; // signed with the key, and no text all the same
  }
};

/** What opens the secrets of an export. Deriving the key takes up to some seconds, in a thread of its own. */
const makeDecrypt = async (parameters: CryptoParameters, passphrase: string): Promise<Decrypt> => {
  const salt = Buffer.from(parameters.__salt_hex__, 'hex');
  const key = await deriveKey(passphrase, salt, parameters.__key_iters__, parameters.__key_size__, 'sha256');
  return (value) => openToken(key, value);
};

/** How the secrets of an export are encrypted. */
const cryptoSchema = z.object({
  __key_algo__: z.literal('pbkdf2_sha256'),
  /** Paperless-ngx uses a million; ten times as many take a few seconds. */
  __key_iters__: z.int().min(1).max(10_000_000),
  __key_size__: z.literal(32),
  __salt_hex__: z.string().regex(/^(?:[0-9a-f]{2}){1,64}$/i),
});
type CryptoParameters = z.infer<typeof cryptoSchema>;

interface ArchiveMetadata {
  readonly version: string;
  readonly checksumAlgorithm: 'md5' | 'sha256';
  readonly crypto: CryptoParameters | undefined;
}

/** metadata.json since 2.10, version.json before. */
const FILES = ['metadata.json', 'version.json'] as const;
const MAX_BYTES = 64 * 1024;
const VERSION = /^v?(?<major>\d{1,3})\.\d{1,5}(?:\.\d{1,5})?(?:[-.+]?\w{1,30})?$/;
const SHA256_SINCE = 3;
const LATEST_MAJOR = 3;

const metadataSchema = z.object({ version: z.string(), __crypto__: z.unknown().optional() });

const readJson = async (source: EntrySource, name: string): Promise<unknown> => {
  const opened = await source.open(name);
  if (opened === undefined) return undefined;
  if (opened.sizeBytes > MAX_BYTES) {
    opened.stream.destroy();
    throw new PaperlessArchiveError('metadata_missing', `${name} is too large`);
  }
  try {
    return JSON.parse((await buffer(opened.stream)).toString());
  } catch (error) {
    throw error instanceof SyntaxError ? new PaperlessArchiveError('metadata_missing', `${name} is no JSON`, error) : error;
  }
};

const toMetadata = (name: string, content: unknown): ArchiveMetadata => {
  const parsed = metadataSchema.safeParse(content);
  if (!parsed.success) throw new PaperlessArchiveError('metadata_missing', `${name} names no version`, parsed.error);
  const { version, __crypto__: crypto } = parsed.data;
  const major = Number(VERSION.exec(version)?.groups?.['major'] ?? 0);
  if (major < 1 || major > LATEST_MAJOR) throw new PaperlessArchiveError('version_unsupported', version.slice(0, 40));
  const parameters = cryptoSchema.optional().safeParse(crypto ?? undefined);
  if (!parameters.success) throw new PaperlessArchiveError('encryption_unsupported', name, parameters.error);
  return { version, checksumAlgorithm: major >= SHA256_SINCE ? 'sha256' : 'md5', crypto: parameters.data };
};

/** Throws PaperlessArchiveError `metadata_missing`, `version_unsupported` or `encryption_unsupported`. */
const readMetadata = async (source: EntrySource): Promise<ArchiveMetadata> => {
  for (const name of FILES) {
    const content = await readJson(source, name);
    if (content !== undefined) return toMetadata(name, content);
  }
  throw new PaperlessArchiveError('metadata_missing', FILES.join(', '));
};

/** A record of the manifest, as Django's serializer writes it. */
export interface PaperlessRecord {
  /** Such as documents.document. */
  readonly model: string;
  readonly pk: number | string;
  /** See PAPERLESS_MODELS. */
  readonly fields: Record<string, unknown>;
  /** Names within the export; not judged yet, `openFile` does. */
  readonly files: { readonly original?: string; readonly archive?: string; readonly thumbnail?: string };
  /** What an export that Sheaf itself wrote says beside the format: ids, and names as they were before they were shortened. */
  readonly sheaf?: Readonly<Record<string, unknown>>;
}

const MANIFEST = 'manifest.json';
/** The text of the longest documents is some MB. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;
const MAX_MODEL_CHARS = 200;
/** Where Django writes the model: a record that is not wanted need not be parsed. */
const HEAD_BYTES = 300;
const HEAD = /^\{\s*"model"\s*:\s*"(?<model>[a-z_.]{1,200})"/;

const fileName = z.string().optional().catch(undefined);
const recordSchema = z.object({
  model: z.string().min(1).max(MAX_MODEL_CHARS),
  pk: z.union([z.int(), z.string().max(MAX_MODEL_CHARS)]),
  fields: z.record(z.string(), z.unknown()),
  __exported_file_name__: fileName,
  __exported_archive_name__: fileName,
  __exported_thumbnail_name__: fileName,
  __sheaf__: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

const isUnwanted = (element: Buffer, models: ReadonlySet<string>): boolean => {
  const model = HEAD.exec(element.toString('latin1', 0, HEAD_BYTES))?.groups?.['model'];
  return model !== undefined && !models.has(model);
};

const parseRecord = (element: Buffer, where: () => string): PaperlessRecord => {
  let content: unknown;
  try {
    content = JSON.parse(element.toString());
  } catch (error) {
    throw new PaperlessArchiveError('manifest_invalid', where(), error);
  }
  const parsed = recordSchema.safeParse(content);
  if (!parsed.success) throw new PaperlessArchiveError('manifest_invalid', where(), parsed.error);
  const { model, pk, fields, __sheaf__: sheaf, ...names } = parsed.data;
  const { __exported_file_name__: original, __exported_archive_name__: archive, __exported_thumbnail_name__: thumbnail } = names;
  return {
    model,
    pk,
    fields,
    files: {
      ...(original === undefined ? {} : { original }),
      ...(archive === undefined ? {} : { archive }),
      ...(thumbnail === undefined ? {} : { thumbnail }),
    },
    ...(sheaf === undefined ? {} : { sheaf }),
  };
};

async function* recordsOf(source: EntrySource, file: string, models: ReadonlySet<string>): AsyncGenerator<PaperlessRecord> {
  const opened = await source.open(file);
  if (opened === undefined) throw new PaperlessArchiveError('manifest_missing', file);
  let count = 0;
  try {
    for await (const element of jsonElements(opened.stream, file, MAX_RECORD_BYTES)) {
      count += 1;
      const where = (): string => `${file}, record ${count}`;
      if (!isUtf8(element)) throw new PaperlessArchiveError('manifest_invalid', `${where()}: not UTF-8`);
      if (isUnwanted(element, models)) continue;
      const record = parseRecord(element, where);
      if (models.has(record.model)) yield record;
    }
  } finally {
    opened.stream.destroy();
  }
}

/** The records of these models: those of the manifest, then those of the documents that have manifests of their own. */
async function* readRecords(source: EntrySource, models: readonly string[]): AsyncGenerator<PaperlessRecord> {
  const wanted = new Set(models);
  yield* recordsOf(source, MANIFEST, wanted);
  for await (const name of source.names()) if (isSplitManifest(name)) yield* recordsOf(source, name, wanted);
}
