import type { Readable } from 'node:stream';
import { type OpenRoot, openWatchedFile, type WalkOptions, type WatchedFile, walkFolder } from '@sheaf/storage/folders';
import type { ForeignItem } from '../foreign/foreign-document.ts';
import { reasonOf } from '../source-error.ts';

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

interface ItemWalk extends Pick<WalkOptions, 'skipsFolder' | 'signal'> {
  readonly root: OpenRoot;
  /** What a file brings; none where it is not for an import. */
  readonly read: (file: WatchedFile) => AsyncIterable<ForeignItem> | Iterable<ForeignItem>;
}

/** What all files below a root bring, and the folders that cannot be read; in memory is what one folder lists at a time. */
export async function* walkItems({ root, read, skipsFolder, signal }: ItemWalk): AsyncGenerator<ForeignItem> {
  const unreadable: ForeignItem[] = [];
  const batches = walkFolder(root.realPath, {
    recursive: true,
    skipsFolder,
    onUnreadable: (name, error) => {
      const reason = `It cannot be read: ${reasonOf(error)}`;
      unreadable.push({ rest: { kind: 'folder', name, reason } });
    },
    signal,
  });
  for await (const batch of batches) {
    for (const file of batch) yield* read(file);
    yield* unreadable.splice(0);
  }
  yield* unreadable.splice(0);
}
