import { join } from 'node:path';
import { type OpenRoot, openRoot, type WatchedFile, walkFolder } from '@sheaf/storage/folders';
import { extensionOf } from '@sheaf/vocabulary/file-kinds';
import { openFile, readSmall } from '../folder/open-file.ts';
import { walkItems } from '../folder/walk-items.ts';
import type { ForeignItem } from '../foreign/foreign-document.ts';
import { reasonOf } from '../reason-of.ts';
import { ImportSourceError } from '../source-error.ts';
import { type DocspellItem, factsOfItem, readItem } from './item.ts';

const METADATA = 'metadata.json';
const MAX_METADATA_BYTES = 8_000_000;

/** The files of a folder, which may be missing. */
const listFiles = async (
  path: string,
  signal: AbortSignal,
): Promise<{ readonly root: OpenRoot; readonly files: WatchedFile[] } | undefined> => {
  const outcome = await openRoot({ path });
  if (outcome.kind !== 'open') return undefined;
  const files: WatchedFile[] = [];
  for await (const batch of walkFolder(outcome.root.realPath, {
    recursive: false,
    skipsFolder: () => true,
    onUnreadable: () => {},
    signal,
  }))
    files.push(...batch.filter(({ sort }) => sort === 'file'));
  return { root: outcome.root, files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
};

const titleOf = (item: DocspellItem, name: string, count: number): string => {
  const extension = extensionOf(name);
  return count === 1 ? item.name : `${item.name}: ${extension === '' ? name : name.slice(0, -extension.length - 1)}`;
};

async function* readItemFolder(metadata: WatchedFile, root: OpenRoot, signal: AbortSignal): AsyncGenerator<ForeignItem> {
  const folder = metadata.path.slice(0, -METADATA.length - 1);
  let item: DocspellItem;
  try {
    item = readItem(await readSmall(metadata, root, MAX_METADATA_BYTES));
  } catch (error) {
    yield {
      rest: { kind: 'item', name: folder, reason: `${METADATA} cannot be used: ${reasonOf(error)}` },
    };
    return;
  }
  const found = await listFiles(join(root.realPath, folder, 'files'), signal);
  if (found === undefined || found.files.length === 0) {
    yield { rest: { kind: 'item', name: item.name, reason: 'It has no files', documentId: item.id } };
    return;
  }
  const facts = factsOfItem(item);
  for (const file of found.files)
    yield {
      document: {
        ...facts,
        id: `${item.id}/${file.name}`,
        filename: file.name,
        title: titleOf(item, file.name, found.files.length),
        open: () => openFile(file, found.root),
        modifiedAt: new Date(file.facts.modifiedMs),
      },
    };
}

/**
 * The items of a folder that `dsc export` has written (items/AB/ABCDEF/metadata.json, and the files beside it in files/), each file as a
 * document. Throws an ImportSourceError for another folder.
 */
export async function* readDocspell(path: string, signal = new AbortController().signal): AsyncGenerator<ForeignItem> {
  const outcome = await openRoot({ path: join(path, 'items') });
  if (outcome.kind !== 'open') throw new ImportSourceError(`${path} has no folder "items": give the target folder of "dsc export".`);
  const { root } = outcome;
  yield* walkItems({
    root,
    skipsFolder: ({ name }) => name === 'files',
    read: (file) => (file.name === METADATA && file.sort === 'file' ? readItemFolder(file, root, signal) : []),
    signal,
  });
}
