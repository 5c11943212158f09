import { stat } from 'node:fs/promises';
import type { Logger } from '@sheaf/process';
import { type FSWatcher, watch } from 'chokidar';

export interface NudgerSettings {
  readonly folder: string;
  readonly depth: number | undefined;
  readonly processedFolder: string;
  readonly log: Logger;
  /** How long to wait for more after something happened. */
  readonly delayMs: () => number;
  readonly onNudge: () => void;
  /** How many folders are watched at most. */
  readonly maxFolders?: number;
  /** A folder with more files is not watched. */
  readonly maxFiles?: number;
}

/** Watches cost memory here and in the kernel, and anybody may make a million folders. */
const MAX_FOLDERS = 10_000;

/** chokidar looks at every file to find the folders: a million of them keep the process from everything else for half a minute. */
const MAX_FILES = 200_000;

/** Tells, sometimes, that something happened in a folder. Network file systems never do, so nobody may rely on it. */
export class FolderNudger {
  readonly #settings: NudgerSettings;
  #watcher: FSWatcher | undefined;
  /** Which folder is watched, as a path alone does not tell. */
  #identity: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failed = false;
  #isTooLarge = false;

  constructor(settings: NudgerSettings) {
    this.#settings = settings;
  }

  /**
   * Watches the folder that is there now, with `files` files: to be called now and then, as one that was removed and made again is another
   * one. One with too many files is left to the scans.
   */
  async look(files: number): Promise<void> {
    const { folder, log, maxFiles = MAX_FILES } = this.#settings;
    const isTooLarge = files > maxFiles;
    if (isTooLarge && !this.#isTooLarge)
      log.info({ folder, files, max_files: maxFiles }, 'many files in the watch folder, changes are found by scanning');
    this.#isTooLarge = isTooLarge;
    const identity = isTooLarge ? undefined : await identityOf(folder);
    if (identity === this.#identity) return;
    await this.#watcher?.close();
    this.#watcher = identity === undefined ? undefined : this.#watch();
    this.#identity = identity;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher?.close();
    this.#watcher = undefined;
  }

  #watch(): FSWatcher {
    const { folder, depth, processedFolder, maxFolders = MAX_FOLDERS } = this.#settings;
    const folders = new Set<string>();
    const isWatched = (path: string): boolean => {
      if (folders.size < maxFolders) folders.add(path);
      return folders.has(path);
    };
    return watch(folder, {
      // Folders alone: their raw events tell of every file in them, at one watch a folder instead of one a file.
      ignored: (path, stats) => path === processedFolder || (stats !== undefined && !(stats.isDirectory() && isWatched(path))),
      ignoreInitial: true,
      followSymlinks: false,
      ...(depth === undefined ? {} : { depth }),
    })
      .on('unlinkDir', (path) => folders.delete(path))
      .on('raw', () => this.#schedule())
      .on('ready', () => this.#schedule()) // what happened before was not announced
      .on('error', (error) => this.#fail(error));
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#settings.onNudge();
    }, this.#settings.delayMs());
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#settings.log.warn({ err: error }, 'file system events unavailable for the watch folder, changes are found by scanning');
  }
}

const identityOf = async (folder: string): Promise<string | undefined> => {
  const facts = await stat(folder, { bigint: true }).catch(() => undefined);
  // With the time of its birth, as the number of a removed folder is given again at once.
  return facts === undefined ? undefined : `${facts.dev}:${facts.ino}:${facts.birthtimeNs}`;
};
