import { Buffer } from 'node:buffer';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

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

export const pathBytes = (path: string): number => Buffer.byteLength(path);

/** Folders above the last part. */
export const depthOf = (path: string): number => path.split('/').length - 1;

/** The folder of a path; '' is the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
