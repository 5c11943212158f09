import { createHash } from 'node:crypto';
import { toLedgerPath } from '@sheaf/ingest';
import { type FsPath, HeldFolder, isUnchanged, nameToText, systemCode, type WatchedFile } from '@sheaf/storage/folders';
import { copySource, findFinishedCopy } from './processed/copy-source.ts';
import { moveBack, releaseCaught, removeSource } from './processed/move-folder.ts';
import { explaining, MoveFailure, namesOf, openSource, type Source, splitPath } from './processed/source.ts';
import { isSameFileAndBytes, lookAt, openTargetFolder, Reservation } from './processed/target-folder.ts';

export { isMoveFolder } from './processed/move-folder.ts';

export interface MoveRequest {
  /** The file as the last look at it showed it: nothing else is moved. */
  readonly file: WatchedFile;
  /** The watched root that it lies below, with all links followed. */
  readonly realRoot: string;
  /** Of the bytes that were imported, in hexadecimal. */
  readonly sha256: string;
  /** Absolute; made when it is absent. */
  readonly processedFolder: string;
  /** Where below the processed folder, with `/` between folders; for a user's directory its name stands first. */
  readonly relativePath: FsPath;
  /**
   * Told where the file is going, as `to` will say, before it leaves its place: so that this is known also if the process dies then.
   * What it throws ends the move with nothing done. Unless the outcome is `moved`, the file is not there.
   */
  readonly announce?: (to: string) => Promise<void>;
}

export type MoveOutcome =
  /** `to` is below the processed folder, as the ledger writes paths. */
  | { readonly kind: 'moved'; readonly to: string }
  /** Gone, or another file by now: it is left to the next scan. */
  | { readonly kind: 'changed' }
  /** It is still where it was. The same trouble gives the same words. */
  | { readonly kind: 'failed'; readonly reason: string };

/** What a move has just done, for tests that end the process or change files there. */
export type MovePoint = 'opened' | 'reserved' | 'announced' | 'renamed' | 'copying' | 'copied' | 'published' | 'caught' | 'removed';

type AtPoint = (point: MovePoint) => void | Promise<void>;

const CHANGED: MoveOutcome = { kind: 'changed' };

/**
 * Moves a file that was imported below the processed folder, also to another file system. Overwrites nothing (a number is added),
 * follows no link, keeps the time of modification. Killed at any point it has lost nothing, and the next call for the same file
 * finishes; only a folder for which `isMoveFolder` is true may be left beside the source, which `undoMove` clears away.
 */
export const moveProcessed = async (request: MoveRequest, at: AtPoint = () => undefined): Promise<MoveOutcome> => {
  try {
    await using source = await openSource(request.file, request.realRoot);
    if (source === undefined) return CHANGED;
    await at('opened');
    return await moveSource(source, request, at);
  } catch (error) {
    if (error instanceof MoveFailure) return { kind: 'failed', reason: error.message };
    throw error;
  }
};

/**
 * Puts the file in a folder of `isMoveFolder` back under its own name beside the folder, without overwriting (a number is added),
 * and removes the folder; does nothing outside the root. Throws system errors. To be called while no move runs below the same root.
 */
export const undoMove = async (folder: FsPath, realRoot: string): Promise<void> => {
  const { folderPath, name } = splitPath(folder);
  await using parent = await HeldFolder.open(folderPath);
  if (await parent.isWithin(realRoot)) await releaseCaught({ folder: parent, name });
};

const moveSource = async (source: Source, request: MoveRequest, at: AtPoint): Promise<MoveOutcome> => {
  const names = namesOf(request.relativePath);
  const wanted = names.pop() as Buffer;
  await using target = await explaining('processed', () => openTargetFolder(request.processedFolder, names));
  await using reservation = await explaining('processed', async () => Reservation.make(target.folder, wanted, true));
  await at('reserved');
  const announce = async (name: Buffer): Promise<string> => {
    const to = toLedgerPath([...target.names, name].map(nameToText).join('/'));
    await request.announce?.(to);
    await at('announced');
    return to;
  };
  const wantedPath = await announce(reservation.name);
  switch (await renameSource(source, reservation)) {
    case 'gone':
      return CHANGED;
    case 'renamed':
      await at('renamed');
      return (await isRightOne(source, reservation)) ? { kind: 'moved', to: wantedPath } : CHANGED;
    case 'elsewhere': {
      const name = await copyOver(source, reservation, request, at);
      if (name === undefined) return CHANGED;
      const to = name.equals(reservation.name) ? wantedPath : await announce(name);
      await explaining('watch', () => removeSource(source, at));
      return { kind: 'moved', to };
    }
  }
};

/** `elsewhere`: source and target lie on different file systems, and nothing happened. */
const renameSource = async (source: Source, reservation: Reservation): Promise<'renamed' | 'gone' | 'elsewhere'> => {
  try {
    await reservation.fill(source.path);
    return 'renamed';
  } catch (error) {
    switch (systemCode(error)) {
      case 'EXDEV':
        return 'elsewhere';
      case 'ENOENT':
      case 'ENOTDIR': // a folder took its name
        return 'gone';
      default:
        // The target folder lets names be made in it, so it is the other one that lets none go.
        return explaining('watch', () => Promise.reject(error));
    }
  }
};

/** Looks at what was renamed, which may be a file that took the name at the last moment: that one goes back. */
const isRightOne = async (source: Source, { folder, name, path }: Reservation): Promise<boolean> => {
  const isRight = isSameFileAndBytes(source.stats, await explaining('processed', () => lookAt(path)));
  if (!isRight) await explaining('watch', () => moveBack({ folder, name }, source));
  await explaining('processed', () => folder.sync());
  await explaining('watch', () => source.folder.sync());
  return isRight;
};

/** The name of a whole copy of the source in the target folder, safe on its disk; undefined when the source is another file by now. */
const copyOver = async (source: Source, reservation: Reservation, request: MoveRequest, at: AtPoint): Promise<Buffer | undefined> => {
  const { folder, name, taken } = reservation;
  const finished = await explaining('processed', () => findFinishedCopy(folder, taken, source, request.sha256));
  if (finished !== undefined) return finished;
  await using copy = await copySource(source, folder.pathOf(copyName(request.file)), () => at('copying'));
  await at('copied');
  if (!(await explaining('watch', () => isUnchanged(source.handle, request.file)))) return undefined;
  if (copy.sha256 !== request.sha256) throw new MoveFailure('its content changed since the import without a new modification time');
  await explaining('processed', () => reservation.fill(copy.path));
  await explaining('processed', () => folder.sync());
  await at('published');
  return name;
};

/** The same for each try to move a file, so that what a killed one left is found. */
const copyName = ({ fsPath }: WatchedFile): Buffer =>
  Buffer.from(`.sheaf-copy-${createHash('sha256').update(fsPath).digest('hex').slice(0, 32)}`);
