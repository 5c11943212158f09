import { rm } from 'node:fs/promises';
import { AppError } from '@sheaf/contract';
import { previewKey, type Storage } from '@sheaf/storage';
import { previewName } from './entry-layout.ts';
import type { KeepDeps } from './keep-original.ts';
import type { Measure } from './measure.ts';
import { ReadFailed, tryLink, writeMeasured } from './place-file.ts';

/**
 * Puts the PDF rendition of a document into the entry and says what it is. Undefined where there is none, or it cannot be read: it can be made again,
 * which costs time and loses nothing.
 */
export const keepPreview = async ({ storage, writer, earlier, signal }: KeepDeps, documentSha256: string): Promise<Measure | undefined> => {
  const stored = await storage.stat(previewKey(documentSha256));
  if (stored === undefined) return undefined;
  const name = previewName(documentSha256);
  const path = await writer.pathFor(name);
  const whole = await earlier.findPreview(documentSha256, stored.sizeBytes);
  if (whole !== undefined && (await tryLink(whole.path, path))) {
    await writer.take(name, { isSynced: true });
    return whole.measure;
  }
  const measure = await copyPreview(storage, documentSha256, path, signal);
  if (measure === undefined) return undefined;
  await writer.take(name);
  return measure;
};

const copyPreview = async (storage: Storage, documentSha256: string, path: string, signal: AbortSignal): Promise<Measure | undefined> => {
  try {
    const { stream } = await storage.open(previewKey(documentSha256));
    return await writeMeasured(stream, path, signal);
  } catch (error) {
    await rm(path, { force: true });
    if (error instanceof ReadFailed || (error instanceof AppError && error.code === 'FILE_MISSING')) return undefined;
    throw error;
  }
};
