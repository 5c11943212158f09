import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { factsOf, HeldFolder, isUnchanged, openWatchedFile, sortOf, systemCode, type WatchedFile } from '@sheaf/storage/folders';
import type { OpenedFile, RemoteFile } from '../driver.ts';
import { refusalOfParts } from '../remote-path.ts';
import { SourceError } from '../source-error.ts';
import { FileBody } from './file-body.ts';
import { toFolderFailure } from './folder-failure.ts';

const changed = (): SourceError => new SourceError('changed', 'The file has changed since it was listed.');
const outside = (): SourceError => new SourceError('refused', 'The file is outside the folder: its path contains a link.');

/** Opens the very file that was listed. Throws SourceError, or the signal's reason. */
export const openLocalFile = async (realRoot: string, listed: RemoteFile, signal: AbortSignal): Promise<OpenedFile> => {
  const file = await lookAt(realRoot, listed);
  const { sizeBytes, modifiedMs } = file.facts;
  if ((listed.sizeBytes ?? sizeBytes) !== sizeBytes || (listed.modifiedAt?.getTime() ?? modifiedMs) !== modifiedMs) throw changed();
  const opened = await openWatchedFile(file, realRoot);
  switch (opened.kind) {
    case 'changed':
      throw changed();
    case 'outside':
      throw outside();
    case 'unreadable':
      throw new SourceError('unauthorized', `The file cannot be read: ${opened.reason}.`);
    case 'open':
      break;
  }
  let wasUnchanged = false;
  const body = new FileBody(opened.handle, sizeBytes, async () => {
    wasUnchanged = await isUnchanged(opened.handle, file);
  });
  endWith(body, signal);
  return { body, sizeBytes, modifiedAt: new Date(modifiedMs), etag: undefined, isUnchanged: async () => wasUnchanged };
};

const endWith = (body: FileBody, signal: AbortSignal): void => {
  const onAbort = (): void => {
    body.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  body.once('close', () => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();
};

/** What the name is now, asked of a folder that is held open, so that no link on the way shows a file from elsewhere. */
const lookAt = async (realRoot: string, { path }: RemoteFile): Promise<WatchedFile> => {
  const reason = refusalOfParts(path.split('/'));
  if (reason !== undefined) throw new SourceError('refused', `The file cannot be opened: ${reason.message}.`);
  const fsPath = join(realRoot, path);
  const name = basename(fsPath);
  try {
    await using folder = await HeldFolder.open(dirname(fsPath));
    if (!(await folder.isWithin(realRoot))) throw outside();
    const stats = await lstat(folder.pathOf(Buffer.from(name)));
    if (sortOf(stats) !== 'file') throw changed();
    return { path, name, fsPath, sort: 'file', facts: factsOf(stats) };
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) throw new SourceError('not_found', 'The file no longer exists.', { cause: error });
    throw toFolderFailure(error);
  }
};
