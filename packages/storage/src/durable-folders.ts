import { dirname } from 'node:path';
import { makeFolder, syncPath } from '@sheaf/process/machine';

/** Makes folders below `root` that survive a power cut where they must, and remembers which ones already do. */
export class DurableFolders {
  readonly #root: string;
  readonly #mustLast: boolean;
  /** Folders that are there with all their parents, their own names synced. */
  readonly #safe = new Set<string>();
  /** Several files of one folder often come at once. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(root: string, mustLast: boolean) {
    this.#root = root;
    this.#mustLast = mustLast;
  }

  /** `folder` with all its parents up to the root; the names inside `folder` itself are the caller's to sync. */
  async make(folder: string): Promise<void> {
    if (this.isSafe(folder)) return;
    const making = this.#making.get(folder) ?? this.#make(folder).finally(() => this.#making.delete(folder));
    this.#making.set(folder, making);
    await making;
  }

  async #make(folder: string): Promise<void> {
    await makeFolder(folder);
    const unsafe: string[] = [];
    for (let current = folder; this.#isUnsafe(current); current = dirname(current)) unsafe.push(current);
    // Another process may have made a parent and died before it could sync it: so each level, not only the new ones.
    for (const current of unsafe) await this.sync(dirname(current));
    for (const current of unsafe) this.#safe.add(current);
  }

  /** Makes the names in `folder` survive a power cut, where they must. */
  async sync(folder: string): Promise<void> {
    if (this.#mustLast) await syncPath(folder);
  }

  /** Whether the folder was made already, and nobody is known to have taken it away. */
  isSafe(folder: string): boolean {
    return this.#safe.has(folder);
  }

  /** Somebody took folders away. */
  forget(): void {
    this.#safe.clear();
  }

  #isUnsafe(folder: string): boolean {
    return folder !== this.#root && folder.startsWith(this.#root) && !this.#safe.has(folder);
  }
}
