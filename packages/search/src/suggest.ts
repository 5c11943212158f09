import { MAX_SUGGESTIONS, type Principal, type Suggestion, scopeOf } from '@sheaf/contract';
import { type Db, documentSearch, ownedBy } from '@sheaf/db';
import { cleanText } from './clean-text.ts';
import { wordsIn } from './marks.ts';
import { suggestTitles } from './suggest-titles.ts';
import { suggestWords } from './suggest-words.ts';

/** Half of the suggestions are kept for titles where there are so many; words that are missing leave their place to titles. */
const MAX_TITLES = 5;
/** Of a longer text the last words are completed. */
const MAX_WORDS = 8;

/** What may complete `q`: whole words for its last one, and titles that have all its words. Nothing that the caller may not read. */
export const suggest = async (db: Db, principal: Principal, q: string): Promise<Suggestion[]> => {
  const scope = scopeOf(principal.permissions, 'documents.read');
  const words = wordsIn(cleanText(q))
    .map(({ text }) => text)
    .slice(-MAX_WORDS);
  const last = words.at(-1);
  if (scope === 'none' || last === undefined) return [];
  const visible = ownedBy(scope, principal.userId, documentSearch.ownerId);
  const [titles, completed] = await Promise.all([
    suggestTitles(db, principal, words, MAX_SUGGESTIONS),
    suggestWords(db, visible, last, MAX_SUGGESTIONS),
  ]);
  const shown = completed.slice(0, MAX_SUGGESTIONS - Math.min(titles.length, MAX_TITLES));
  return [...shown.map((text): Suggestion => ({ text, type: 'word' })), ...titles.slice(0, MAX_SUGGESTIONS - shown.length)];
};
