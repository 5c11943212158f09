import type { DriverLimits } from './driver-limits.ts';
import { depthOf, pathBytes, showPath } from './remote-path.ts';
import { SourceError } from './source-error.ts';

const exceeded = (what: string): SourceError =>
  new SourceError('too_large', `The source has ${what}. Choose a subfolder, or use several sources.`);

/** Counts what one listing found. Every method throws SourceError too_large when a limit is exceeded. */
export class ListingBudget {
  readonly #limits: DriverLimits;
  #entries = 0;
  #folders = 0;

  constructor(limits: DriverLimits) {
    this.#limits = limits;
  }

  takeFile(path: string): void {
    this.#checkPath(path);
    this.takeEntry();
  }

  takeEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.maxEntries) throw exceeded(`more than ${this.#limits.maxEntries} files`);
  }

  takeFolder(path: string): void {
    this.#checkPath(path);
    this.#folders += 1;
    if (this.#folders > this.#limits.maxFolders) throw exceeded(`more than ${this.#limits.maxFolders} folders`);
  }

  #checkPath(path: string): void {
    const { maxDepth, maxPathBytes } = this.#limits;
    if (pathBytes(path) > maxPathBytes) throw exceeded(`a path longer than ${maxPathBytes} bytes (${showPath(path).slice(0, 100)}...)`);
    if (depthOf(path) > maxDepth) throw exceeded(`more than ${maxDepth} folder levels (${showPath(path).slice(0, 100)}...)`);
  }
}
