import type { Suggestion } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { MAX_SUGGESTIONS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { wordsIn } from './marks.ts';
import { cleanText } from './query.ts';
import { searchScope } from './search-scope.ts';
import { suggestNames } from './suggest-names.ts';
import { suggestTitles } from './suggest-titles.ts';
import { suggestWords } from './suggest-words.ts';

/** Half of the suggestions are kept for titles where there are so many; words that are missing leave their place to titles. */
const MAX_TITLES = 5;
/** Of a longer text the last words are completed. */
const MAX_WORDS = 8;

/**
 * What may complete `q`: correspondents, document types and titles that have all its words, and whole words for its last one. Nothing that the
 * caller may not read.
 */
export const suggest = async (db: Db, principal: Principal, q: string): Promise<Suggestion[]> => {
  const scope = searchScope(principal);
  const words = wordsIn(cleanText(q))
    .map(({ text }) => text)
    .slice(-MAX_WORDS);
  const last = words.at(-1);
  if (scope === undefined || last === undefined) return [];
  const [names, titles, completed] = await Promise.all([
    suggestNames(db, principal, words),
    suggestTitles(db, principal, scope, words, MAX_SUGGESTIONS),
    suggestWords(db, scope, last, MAX_SUGGESTIONS),
  ]);
  const free = MAX_SUGGESTIONS - names.length;
  const shown = completed.slice(0, Math.max(0, free - Math.min(titles.length, MAX_TITLES)));
  return [...names, ...shown.map((text): Suggestion => ({ text, type: 'word' })), ...titles.slice(0, free - shown.length)];
};
