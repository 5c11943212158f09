import { AppError } from '@sheaf/contract';
import { previewKey } from '@sheaf/storage';
import { findKindByExtension, findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { Destination } from '../destination.ts';
import type { IngestDeps } from '../incoming-file.ts';
import { receive } from '../receive.ts';
import type { Arrival } from '../take-in.ts';
import type { ImportedFile } from './imported-file.ts';

const PDF = findKindByExtension('pdf');

const isIncomplete = (error: unknown): boolean => error instanceof AppError && error.code === 'INCOMPLETE_FILE';

/**
 * Stores the rendition that an office document has in the other system, before its row is there: where that never comes, it goes with the
 * bytes that nobody refers to. What is damaged, too large or no PDF is left out: then there is no preview until the document is processed.
 * Throws where the storage does not work.
 */
export const storePreview = async (
  { storage, temp, typeCheck }: IngestDeps,
  { mimeType, openPreview, received: { sha256 }, maxBytes, signal }: Arrival<ImportedFile>,
): Promise<void> => {
  if (openPreview === undefined || findKindByMimeType(mimeType)?.family !== 'office' || PDF === undefined) return;
  const stream = await openPreview();
  if (stream === undefined) return;
  await using destination = new Destination(temp);
  try {
    const received = await receive(stream, destination, { maxBytes, signal });
    if (received === undefined || !(await typeCheck.match(received.content, PDF, signal)).isMatch) return;
    await storage.put(previewKey(sha256), received.content);
  } catch (error) {
    if (!isIncomplete(error)) throw error;
  } finally {
    stream.destroy();
  }
};
