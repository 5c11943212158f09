import type { FilingKind } from '../../components/filing-kinds.ts';

const FIELDS: Readonly<Record<FilingKind, string>> = { correspondent: 'from', document_type: 'type' };

/** The signs that end a phrase of a query, which no name is found by. */
const QUOTES = /["“”„«»]/gu;

/** The query for the documents of a correspondent or type with this name. */
export const nameQuery = (kind: FilingKind, name: string): string => `${FIELDS[kind]}:"${name.replace(QUOTES, ' ').trim()}"`;
