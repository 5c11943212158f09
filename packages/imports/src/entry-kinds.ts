import { CORRESPONDENTS, DOCUMENT_TYPES, type FilingKind } from '@sheaf/filing';
import { MAX_CORRESPONDENT_CHARACTERS, MAX_DOCUMENT_TYPE_CHARACTERS } from '@sheaf/vocabulary/limits';

/** A kind of entry that documents are filed under, as imports make it. */
export interface EntryKind {
  readonly filing: FilingKind;
  readonly maxCharacters: number;
  readonly counted: 'correspondents' | 'document_types';
  /** What a new one has besides its name. */
  readonly details: Readonly<Record<string, readonly string[]>>;
}

export const ENTRY_KINDS = {
  correspondents: {
    filing: CORRESPONDENTS,
    maxCharacters: MAX_CORRESPONDENT_CHARACTERS,
    counted: 'correspondents',
    details: { aliases: [], ibans: [], vatIds: [], domains: [] },
  },
  documentTypes: { filing: DOCUMENT_TYPES, maxCharacters: MAX_DOCUMENT_TYPE_CHARACTERS, counted: 'document_types', details: {} },
} as const satisfies Record<string, EntryKind>;
