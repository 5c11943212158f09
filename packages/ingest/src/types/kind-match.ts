import type { FileKind } from '@sheaf/vocabulary/file-kinds';
import { PLAIN_NAMES } from './signatures.ts';

/**
 * Whether the bytes are what the name says; `found` says in words what they are instead, where that is known. `unknown`: they
 * could not be looked at within the limits of time and memory. `notEinvoice`: they are text, but no e-invoice.
 */
export type KindMatch =
  | { readonly isMatch: true }
  | { readonly isMatch: false; readonly found?: string | undefined; readonly unknown?: true; readonly notEinvoice?: true };

export const mismatch = (found: string | undefined): KindMatch => ({ isMatch: false, found });

/** `kinds` are the first extensions of what the bytes may be. */
export const compareKinds = (kinds: readonly string[], declared: FileKind, found: string | undefined): KindMatch =>
  kinds.includes(declared.extensions[0])
    ? { isMatch: true }
    : mismatch(found ?? kinds.map((kind) => PLAIN_NAMES[kind] ?? kind).join(' or '));
