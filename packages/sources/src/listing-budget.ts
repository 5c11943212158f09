import { Buffer } from 'node:buffer';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { SourceError } from './source-driver.ts';

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

const CONTROL = /\p{Cc}/u;
/** What is longer is cut by `showPath`. */
export const MAX_SHOWN_CHARACTERS = 1_000;

/** Why a decoded name cannot be a part of a path; undefined when it can. */
export const refusalOfName = (name: string): LedgerReason | undefined => {
  if (name === '') return ledgerReason('path_part_empty');
  if (name === '.' || name === '..') return ledgerReason('path_with_dots', { part: name });
  if (name.includes('/')) return ledgerReason('path_with_slash');
  if (CONTROL.test(name)) return ledgerReason('control_characters');
  return name.isWellFormed() ? undefined : ledgerReason('not_unicode');
};

/** Why decoded parts make no path; undefined when they do. */
export const refusalOfParts = (parts: readonly string[]): LedgerReason | undefined => {
  for (const part of parts) {
    const reason = refusalOfName(part);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

const escapeControl = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** Something of unknown content for messages and ledgers. */
export const showPath = (text: string): string =>
  text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed().replaceAll(new RegExp(CONTROL, 'gu'), escapeControl);

const pathBytes = (path: string): number => Buffer.byteLength(path);

/** Folders above the last part. */
export const depthOf = (path: string): number => path.split('/').length - 1;

/** The folder of a path; '' is the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** What no listing may exceed. */
export interface DriverLimits {
  /** Files and refused entries together. */
  readonly maxEntries: number;
  readonly maxFolders: number;
  /** Folders from the root to a file. */
  readonly maxDepth: number;
  /** Of a path below the root, in UTF-8. */
  readonly maxPathBytes: number;
}

export const DEFAULT_DRIVER_LIMITS: DriverLimits = { maxEntries: 1_000_000, maxFolders: 100_000, maxDepth: 64, maxPathBytes: 4_096 };

/** Of one request, however slow the source is. Silence ends it much earlier: that is the guarded client's business. */
export const REQUEST_TIMEOUTS_MS = { check: 30_000, listing: 60 * 60_000, download: 6 * 60 * 60_000 } as const;
