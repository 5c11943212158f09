import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { documentKey, type Storage } from '@sheaf/storage';

/** A file that a document is cut into. */
export interface SplitPart {
  /** A PDF that nobody changes any more. */
  readonly path: string;
  /** The pages of the whole that it has, from 1, in its own order. */
  readonly pages: readonly number[];
}

/** A part whose bytes are safe. */
export interface StoredPart<P extends SplitPart> {
  readonly part: P;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly filePath: string;
}

/** Puts the bytes of parts into the storage. Killed here, the process leaves objects that no row refers to, for the sweep. */
export const storeParts = async <P extends SplitPart>(storage: Pick<Storage, 'put'>, parts: readonly P[]): Promise<StoredPart<P>[]> => {
  const stored: StoredPart<P>[] = [];
  for (const part of parts) {
    const { sha256, sizeBytes } = await measure(part.path);
    const { path: filePath } = await storage.put(documentKey(sha256), part.path);
    stored.push({ part, sha256, sizeBytes, filePath });
  }
  return stored;
};

const measure = async (path: string): Promise<{ sha256: string; sizeBytes: number }> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), sizeBytes };
};
