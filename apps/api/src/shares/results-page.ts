import { escapeHtml } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Translator } from '@sheaf/messages';
import type { SavedSearch } from '@sheaf/search/saved-searches';
import { listSharedResults, type SharedResult } from '@sheaf/search/shares';
import { MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { SharePage } from './page-frame.ts';

const RESULTS_AT_ONCE = 50;
export const MAX_RESULT_PAGES = MAX_SEARCH_RESULTS / RESULTS_AT_ONCE;

export interface ResultsView {
  readonly search: SavedSearch;
  /** As whom is searched. */
  readonly sharer: Principal;
  readonly page: number;
  /** Where the link is, /s/TOKEN. */
  readonly path: string;
}

const resultItem = ({ id, title, documentDate, createdAt }: SharedResult, path: string, { format }: Translator): string =>
  `<li><a href="${escapeHtml(`${path}/documents/${id}`)}">${escapeHtml(title)}</a>
<span class="soft">${escapeHtml(format.day(documentDate ?? createdAt.toISOString().slice(0, 10)))}</span></li>`;

/** What a saved search finds, as a list of links to the documents. */
export const resultsPage = async (db: Db, { search, sharer, page, path }: ResultsView, translator: Translator): Promise<SharePage> => {
  const { t } = translator;
  const { results, total } = await listSharedResults(db, sharer, search, { page, perPage: RESULTS_AT_ONCE });
  const hasNext = page * RESULTS_AT_ONCE < Math.min(total, MAX_SEARCH_RESULTS);
  const way = (to: number, text: string): string => `<a href="${escapeHtml(`${path}?page=${to}`)}">${escapeHtml(text)}</a>`;
  const ways = [...(page > 1 ? [way(page - 1, t('sharePage.previous'))] : []), ...(hasNext ? [way(page + 1, t('sharePage.next'))] : [])];
  const body = [
    `<p class="soft">${escapeHtml(t('sharePage.count', { count: total }))}</p>`,
    `<ul class="results">\n${results.map((result) => resultItem(result, path, translator)).join('\n')}\n</ul>`,
    ...(ways.length === 0 ? [] : [`<nav aria-label="${escapeHtml(t('sharePage.navigation'))}">${ways.join('\n')}</nav>`]),
  ];
  return { title: search.name, body: body.join('\n') };
};
