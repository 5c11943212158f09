import { constants } from 'node:fs';
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { openByteSource, openZipIndex, UnreadableEntry, type ZipIndex } from '@sheaf/sandbox/containers';
import { PaperlessArchiveError } from './json-elements.ts';

/** No link in the last part of the path, and no waiting for the other end of a fifo. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** What the file system says of a name that leads to no file that may be read as part of the export. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EISDIR', 'ENODEV']);
/** An export has one level of folders; share links add another. */
const MAX_DEPTH = 16;
const READ_BYTES = 256 * 1024;

/** `undefined` instead of an error that only says that there is no such file. */
const unlessAbsent = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** An export in a folder of this machine. Links are followed within the folder only; devices and fifos are not opened. */
export const openFolderSource = async (path: string): Promise<EntrySource> => {
  const root = await realpath(path);
  return {
    open: (name) => openBelow(root, name),
    names: () => namesBelow(root, '', 0),
    [Symbol.asyncDispose]: async () => {},
  };
};

const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);

const openBelow = async (root: string, name: string): Promise<OpenedEntry | undefined> => {
  if (!isSafeName(name)) return undefined;
  const realPath = await unlessAbsent(realpath(join(root, name)));
  if (realPath === undefined || !isBelow(root, realPath)) return undefined;
  const handle = await unlessAbsent(open(realPath, FLAGS));
  if (handle === undefined) return undefined;
  try {
    const opened = await openedEntry(handle, root);
    if (opened === undefined) await handle.close();
    return opened;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Everything is checked again on the open file, where no one can swap it. */
const openedEntry = async (handle: FileHandle, root: string): Promise<OpenedEntry | undefined> => {
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  if (process.platform === 'linux' && !isBelow(root, await realpath(`/proc/self/fd/${handle.fd}`))) return undefined;
  // as many bytes as it has now, also while somebody appends to it; the stream closes the file, read or not
  const stream = handle.createReadStream({ end: Math.max(0, stats.size - 1), highWaterMark: READ_BYTES });
  return { sizeBytes: stats.size, stream };
};

async function* namesBelow(root: string, below: string, depth: number): AsyncGenerator<string> {
  for await (const entry of await opendir(join(root, below))) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && depth < MAX_DEPTH) yield* namesBelow(root, name, depth + 1);
    else if (!entry.isDirectory()) yield name;
  }
}

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

/** A file of an export, opened. The stream fails with a PaperlessArchiveError where its bytes are not as declared. */
export interface OpenedEntry {
  readonly stream: Readable;
  readonly sizeBytes: number;
}

/** The files of an export by name, whatever holds them. Names are those of the export, with `/` between folders. */
export interface EntrySource extends AsyncDisposable {
  /** Undefined where there is no such regular file within the export. */
  open(name: string): Promise<OpenedEntry | undefined>;
  /** All names, in no particular order. */
  names(): AsyncIterable<string>;
}

const MAX_NAME_BYTES = 4_096;

/** The files that describe an export; no document is kept under such a name. */
const OWN_FILES: ReadonlySet<string> = new Set(['manifest.json', 'metadata.json', 'version.json']);
const SPLIT_MANIFEST = '-manifest.json';

/** Whether a name from an export stays within it, whatever it is joined to. */
export const isSafeName = (name: string): boolean =>
  name !== '' &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES &&
  !name.includes('\0') &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Whether it is the manifest of a single document, as --split-manifest writes them. */
export const isSplitManifest = (name: string): boolean => name.endsWith(SPLIT_MANIFEST) && isSafeName(name);

/** Whether it is a file that describes the export, not one of its documents. */
export const describesExport = (name: string): boolean => OWN_FILES.has(name) || name.endsWith(SPLIT_MANIFEST);
