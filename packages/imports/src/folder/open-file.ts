import type { Readable } from 'node:stream';
import { type OpenRoot, openWatchedFile, type WatchedFile } from '@sheaf/storage/folders';

/** The bytes of a file that a walk has met. Throws an error whose message says why it cannot be read. */
export const openFile = async (file: WatchedFile, root: OpenRoot): Promise<Readable> => {
  const outcome = await openWatchedFile(file, root.realPath);
  if (outcome.kind === 'open') return outcome.handle.createReadStream();
  if (outcome.kind === 'unreadable') throw new Error(outcome.reason);
  throw new Error(outcome.kind === 'outside' ? 'it lies outside of the folder' : 'it changed while it was read');
};

/** All of a small file. Throws as `openFile` does, and where it is larger than `maxBytes`. */
export const readSmall = async (file: WatchedFile, root: OpenRoot, maxBytes: number): Promise<Buffer> => {
  if (file.facts.sizeBytes > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
  const pieces: Buffer[] = [];
  for await (const piece of await openFile(file, root)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
};
