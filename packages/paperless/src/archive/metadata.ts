import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { PaperlessArchiveError } from './archive-error.ts';
import type { EntrySource } from './entry-source.ts';

/** How the secrets of an export are encrypted. */
const cryptoSchema = z.object({
  __key_algo__: z.literal('pbkdf2_sha256'),
  /** Paperless-ngx uses a million; ten times as many take a few seconds. */
  __key_iters__: z.int().min(1).max(10_000_000),
  __key_size__: z.literal(32),
  __salt_hex__: z.string().regex(/^(?:[0-9a-f]{2}){1,64}$/i),
});
export type CryptoParameters = z.infer<typeof cryptoSchema>;

export interface ArchiveMetadata {
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
export const readMetadata = async (source: EntrySource): Promise<ArchiveMetadata> => {
  for (const name of FILES) {
    const content = await readJson(source, name);
    if (content !== undefined) return toMetadata(name, content);
  }
  throw new PaperlessArchiveError('metadata_missing', FILES.join(', '));
};
