import { useMemo } from 'react';
import { useCall } from '../../interface/call.ts';
import { recentSearches } from '../../interface/recent-searches.ts';
import type { Suggestion } from './suggestions.tsx';

const MOST_DOCUMENTS = 5;
/** Beside documents, which are what most people look for. */
const MOST_WORDS = 5;
const STALE_MS = 30_000;

interface Question {
  /** What stands in the field. */
  readonly typed: string;
  /** The same once nothing was typed for a moment. */
  readonly q: string;
  readonly hasFocus: boolean;
  /** Not where all results are on the screen anyway. */
  readonly wantsDocuments: boolean;
}

/** What is offered below the field: what was searched before until something is typed, then correspondents and types, words, titles and the documents that are found. */
export const useSuggestions = ({ typed, q, hasFocus, wantsDocuments }: Question): readonly Suggestion[] => {
  const { data: suggested } = useCall(
    'get /api/search/suggest',
    { query: { q } },
    { enabled: hasFocus && q !== '', keepPrevious: true, staleMs: STALE_MS },
  );
  const live = liveQuery(q);
  const { data: found } = useCall(
    'get /api/search',
    { query: { q: live, per_page: MOST_DOCUMENTS } },
    { enabled: hasFocus && wantsDocuments && live !== '', keepPrevious: true, staleMs: STALE_MS },
  );
  const recent = useMemo(
    () => (hasFocus && typed === '' ? recentSearches().map((text) => ({ text, type: 'recent' as const })) : []),
    [hasFocus, typed],
  );
  if (typed.trim() === '') return recent;
  if (q === '') return [];
  const hits = wantsDocuments && live !== '' ? (found?.results ?? []) : [];
  const documents = hits.map((hit) => ({ text: hit.title, type: 'hit' as const, document_id: hit.document_id, hit, query: live }));
  const shown = new Set(hits.map(({ document_id: id }) => id));
  // titles fill up what is left beside the documents that are found, which say more
  const isFull = hits.length === MOST_DOCUMENTS;
  const words = (suggested?.suggestions ?? []).filter(({ document_id: id }) => id === undefined || !(isFull || shown.has(id)));
  // names of correspondents and types are a group of their own
  const names = words.filter(({ type }) => type === 'correspondent' || type === 'document_type');
  const others = words.slice(names.length);
  return [...names, ...(documents.length === 0 ? others : others.slice(0, MOST_WORDS)), ...documents];
};

/** From here on a word says enough to look for documents. */
const FEWEST_CHARACTERS = 2;
const ENDS_IN_A_WORD = /[\p{L}\p{N}]$/u;

/** What is looked for while one types: the last word may go on. Empty where that is too little. */
export const liveQuery = (typed: string): string => {
  if (typed.length < FEWEST_CHARACTERS) return '';
  const isInPhrase = typed.split('"').length % 2 === 0;
  return ENDS_IN_A_WORD.test(typed) && !isInPhrase ? `${typed}*` : typed;
};
