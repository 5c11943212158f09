import { Readable } from 'node:stream';
import { openByteSource, openZipIndex, UnreadableEntry, type ZipIndex } from '@sheaf/sandbox/containers';
import { PaperlessArchiveError } from './archive-error.ts';
import { isSafeName } from './entry-name.ts';
import type { EntrySource, OpenedEntry } from './entry-source.ts';

/** Three files for each of half a million documents, with names of the usual length. */
const LIMITS = { maxEntries: 1_600_000, maxDirectoryBytes: 256 * 1024 * 1024 };

/** An export in a ZIP archive. Names that lead out of it, and names that several entries have, lead to nothing. */
export const openZipSource = async (path: string): Promise<EntrySource> => {
  await using resources = new AsyncDisposableStack();
  const source = resources.use(await openByteSource(path));
  const opened = await openZipIndex(source, LIMITS);
  if (!opened.ok) throw new PaperlessArchiveError('not_an_archive', `${path}: ${opened.reason}`);
  const { index } = opened;
  const kept = resources.move();
  return {
    open: (name) => openEntry(index, name),
    names: () => index.names(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
};

const openEntry = async (index: ZipIndex, name: string): Promise<OpenedEntry | undefined> => {
  const opened = isSafeName(name) ? await index.open(name) : undefined;
  if (opened === undefined) return undefined;
  return { sizeBytes: opened.sizeBytes, stream: Readable.from(named(opened.stream, name), { objectMode: false }) };
};

/** The errors of this package instead of those of the archive. */
async function* named(stream: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw error instanceof UnreadableEntry ? new PaperlessArchiveError('file_damaged', name, error) : error;
  }
}
