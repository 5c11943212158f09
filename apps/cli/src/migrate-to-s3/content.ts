import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@sheaf/contract';
import { documentKey, type Storage } from '@sheaf/storage';

/** What a stored original is found to be. */
export type Condition = 'right' | 'missing' | 'damaged';

/** An original as a file, or what is wrong with it. */
export type FetchedOriginal =
  | { readonly condition: 'right'; readonly path: string; readonly sizeBytes: number }
  | { readonly condition: 'missing' | 'damaged' };

const hashOf = async (stream: Readable): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(stream, hash);
  return hash.digest('hex');
};

/** Absence and damage are findings; everything else is thrown on. */
const toCondition = (error: unknown): Exclude<Condition, 'right'> => {
  if (error instanceof AppError && error.code === 'FILE_MISSING') return 'missing';
  if (error instanceof AppError && error.code === 'FILE_DAMAGED') return 'damaged';
  throw error;
};

/** Reads all bytes of the original and compares their hash. */
export const readOriginal = async (storage: Storage, sha256: string): Promise<Condition> => {
  try {
    const { stream } = await storage.open(documentKey(sha256));
    return (await hashOf(stream)) === sha256 ? 'right' : 'damaged';
  } catch (error) {
    return toCondition(error);
  }
};

/** The original as a file, its hash compared: the stored one itself, or a copy in `scratch`. */
export const fetchOriginal = async (storage: Storage, sha256: string, scratch: string): Promise<FetchedOriginal> => {
  try {
    const path = await storage.localPath(documentKey(sha256), scratch);
    if ((await hashOf(createReadStream(path))) !== sha256) return { condition: 'damaged' };
    return { condition: 'right', path, sizeBytes: (await stat(path)).size };
  } catch (error) {
    return { condition: toCondition(error) };
  }
};
