import type { Component, Logger } from '@sheaf/runtime';
import { type FSWatcher, watch } from 'chokidar';

export interface NudgerSettings {
  readonly folder: string;
  readonly recursive: boolean;
  readonly log: Logger;
  /** How long to wait for more after something happened. */
  readonly delayMs: () => number;
  readonly onNudge: () => void;
}

/** Tells, sometimes, that something happened in a folder. Network file systems never do, so nobody may rely on it. */
export class FolderNudger implements Component {
  readonly name = 'folder-nudger';
  readonly #settings: NudgerSettings;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failed = false;

  constructor(settings: NudgerSettings) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    const { folder, recursive } = this.#settings;
    this.#watcher ??= watch(folder, {
      // Folders alone: their raw events tell of every file in them, at one watch a folder instead of one a file.
      ignored: (_path, stats) => stats !== undefined && !stats.isDirectory(),
      ignoreInitial: true,
      followSymlinks: false,
      ...(recursive ? {} : { depth: 0 }),
    })
      .on('raw', () => this.#schedule())
      .on('error', (error) => this.#fail(error));
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher?.close();
    this.#watcher = undefined;
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
    this.#settings.log.warn({ err: error }, 'changes in the watch folder are not announced; they are found by scanning');
  }
}
