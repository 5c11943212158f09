import { type OpenRoot, type WalkOptions, type WatchedFile, walkFolder } from '@sheaf/storage/folders';
import type { ForeignItem } from '../foreign/foreign-document.ts';
import { reasonOf } from '../reason-of.ts';

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
