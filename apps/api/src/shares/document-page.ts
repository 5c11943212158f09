import { escapeHtml } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { LabelledDocument } from '@sheaf/documents';
import { listPages } from '@sheaf/documents/pages';
import type { Translator } from '@sheaf/messages';
import type { SharePage } from './page-frame.ts';

/** Of one answer: each is a request more, and who has no account may not make many. */
const PAGES_AT_ONCE = 10;
/** Of one page of text; what is longer is no page that somebody reads here. */
const MAX_TEXT_CHARACTERS = 20_000;

export interface DocumentView {
  readonly document: LabelledDocument;
  /** The first page that is shown. */
  readonly from: number;
  /** Where the link is, /s/TOKEN. */
  readonly path: string;
  readonly allowDownload: boolean;
  /** The documents of a search have a way back to all of them. */
  readonly isOfSearch: boolean;
}

const dayOf = ({ documentDate, createdAt }: LabelledDocument): string => documentDate ?? createdAt.toISOString().slice(0, 10);

const link = (href: string, text: string, className = ''): string =>
  `<a href="${escapeHtml(href)}"${className === '' ? '' : ` class="${className}"`}>${escapeHtml(text)}</a>`;

const pageItem = (own: string, page: number, total: number, text: string, { t }: Translator): string => {
  const name = t('sharePage.page', { page, total });
  const shown = text.trim().slice(0, MAX_TEXT_CHARACTERS);
  const details =
    shown === ''
      ? ''
      : `\n<details><summary>${escapeHtml(t('sharePage.text', { page }))}</summary><pre dir="auto">${escapeHtml(shown)}</pre></details>`;
  return `<li class="card"><img src="${escapeHtml(`${own}/pages/${page}`)}" alt="${escapeHtml(name)}" loading="lazy">${details}</li>`;
};

/** The pages of a document as pictures, each with its text below. */
export const documentPage = async (db: Db, view: DocumentView, translator: Translator): Promise<SharePage> => {
  const { document, from, path, allowDownload, isOfSearch } = view;
  const { t, format } = translator;
  const own = `${path}/documents/${document.id}`;
  const { pages, total: known } = await listPages(db, document.id, { from, to: from + PAGES_AT_ONCE - 1 });
  // before it is processed its first page may be drawn already
  const total = Math.max(1, known);
  const last = Math.min(total, from + PAGES_AT_ONCE - 1);
  const numbers = Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => from + index);
  const textOf = (number: number): string => pages.find(({ page }) => page === number)?.content ?? '';
  const around = isOfSearch ? own : path;
  const ways = [
    ...(isOfSearch ? [link(path, t('sharePage.back'))] : []),
    ...(from > 1 ? [link(`${around}?from=${Math.max(1, from - PAGES_AT_ONCE)}`, t('sharePage.previous'))] : []),
    ...(last < total ? [link(`${around}?from=${last + 1}`, t('sharePage.next'))] : []),
  ];
  const body = [
    `<p class="soft">${escapeHtml(format.day(dayOf(document)))}</p>`,
    ...(allowDownload
      ? [`<p>${link(`${own}/download`, t('sharePage.download', { size: format.bytes(document.sizeBytes) }), 'button')}</p>`]
      : []),
    ...(known === 0 ? [`<p class="soft">${escapeHtml(t('sharePage.processing'))}</p>`] : []),
    `<ol class="pages">\n${numbers.map((page) => pageItem(own, page, total, textOf(page), translator)).join('\n')}\n</ol>`,
    ...(ways.length === 0 ? [] : [`<nav aria-label="${escapeHtml(t('sharePage.navigation'))}">${ways.join('\n')}</nav>`]),
  ];
  return { title: document.title, body: body.join('\n') };
};
