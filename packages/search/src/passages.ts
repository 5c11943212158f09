import { escapeHtml } from '@sheaf/contract';
import type { SearchBody } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { type Mark, marksOf, type Word, withJoinedWords, wordsIn } from './marks.ts';
import type { Plan, SharedPlan } from './plan.ts';
import { anyOf, frequencyKey, type Lexeme } from './term-frequencies.ts';
import { findMatchingWords } from './word-lexemes.ts';

type Highlight = SearchBody['results'][number]['highlights'][number];

/** A hit with the text of its best part, as `passageJoin` reads it; without a page where only its title was asked for. */
export interface PassageHit {
  readonly document_id: string;
  readonly title: string;
  readonly configuration: string;
  readonly page: number | null;
  readonly text: string | null;
  readonly notes: string | null;
}

/** Where the best of a hit is, and how it looks. */
export interface HitPassage {
  readonly page: number | null;
  readonly highlights: readonly Highlight[];
}

/** A part of a page as it is indexed: no more is ever read of a page. */
const PASSAGE_CHARACTERS = 20_160;

/**
 * Joins `page` and `text` to rows `hit` with a document_id and a tsquery `marks`, null for nothing. The best part is the one in which most
 * of the words are, most often; the first among equals.
 */
export const passageJoin = (withText: boolean): SQL => sql`
  left join lateral (
    with asked as materialized (select hit.marks::tsquery as marks),
    part as materialized (
      select part.page, part.start from document_search_parts as part cross join asked
      where part.document_id = hit.document_id and not part.is_border and part.words @@ asked.marks
      order by ts_rank('{1,1,1,1}', part.words, asked.marks) desc, part.part limit 1
    )
    select whole.page, case when ${withText}::boolean then substr(whole.content, coalesce((select start from part), 1), ${PASSAGE_CHARACTERS}::int) end as text
    from document_pages as whole
    where whole.document_id = hit.document_id and whole.content <> '' and (select marks from asked) is not null and (
      whole.page = (select page from part) or
      not exists (select from part) and not exists (select from document_search_parts where document_id = hit.document_id)
    ) limit 1
  ) as passage on true`;

const planOf = (plans: readonly SharedPlan[], { configuration }: { readonly configuration: string }): Plan | undefined =>
  plans.find(({ configurations }) => configurations.includes(configuration))?.plan;

/** A tsquery of what is to be marked in the text of a hit; null for nothing. */
export const marksOfHit = (plans: readonly SharedPlan[], hit: { readonly configuration: string }): string | null => {
  const marks = planOf(plans, hit)?.contentMarks ?? [];
  return marks.length === 0 ? null : anyOf(marks.map(frequencyKey));
};

/** Whether something may be marked in the notes of a hit. */
export const marksNotes = (plans: readonly SharedPlan[]): boolean => plans.some(({ plan }) => plan.noteMarks.length > 0);

/** A text of a hit, and what is to be marked in it. */
interface Reading {
  readonly words: readonly Word[];
  readonly configuration: string;
  readonly marks: readonly Lexeme[];
}

const readText = (text: string | null, configuration: string, marks: readonly Lexeme[] = []): Reading => ({
  // what has nothing to be marked need not be taken apart
  words: text === null || marks.length === 0 ? [] : withJoinedWords(text, wordsIn(text)),
  configuration,
  marks,
});

const marksIn = async (db: Db, readings: readonly Reading[]): Promise<Mark[][]> => {
  const found = await findMatchingWords(
    db,
    readings.map(({ configuration, marks, words }) => ({ configuration, marks, words: words.map(({ text }) => text) })),
  );
  return readings.map(({ words }, i) => marksOf(words, (word) => found[i]?.has(word) === true));
};

/** The best page of each hit with its highlights and those of its title and its notes, by document. */
export const markPassages = async (
  db: Db,
  hits: readonly PassageHit[],
  plans: readonly SharedPlan[],
): Promise<ReadonlyMap<string, HitPassage>> => {
  const titles = hits.map((hit) => readText(hit.title, hit.configuration, planOf(plans, hit)?.titleMarks));
  const texts = hits.map((hit) => readText(hit.text, hit.configuration, planOf(plans, hit)?.contentMarks));
  const notes = hits.map((hit) => readText(hit.notes, hit.configuration, planOf(plans, hit)?.noteMarks));
  const marks = await marksIn(db, [...titles, ...texts, ...notes]);
  const marksAt = (i: number): HitMarks => ({
    title: marks[i] ?? [],
    text: marks[hits.length + i] ?? [],
    notes: marks[2 * hits.length + i] ?? [],
  });
  return new Map(hits.map((hit, i) => [hit.document_id, toPassage(hit, marksAt(i))]));
};

interface HitMarks {
  readonly title: readonly Mark[];
  readonly text: readonly Mark[];
  readonly notes: readonly Mark[];
}

const toPassage = (hit: PassageHit, marks: HitMarks): HitPassage => {
  const title = markAll(hit.title, marks.title);
  return {
    // a hit in the title or the notes alone is on no page
    page: marks.text.length === 0 ? null : hit.page,
    highlights: [
      ...(title === undefined ? [] : [{ field: 'title', snippet: title }]),
      ...makeSnippets(hit.text ?? '', marks.text).map((snippet) => ({ field: 'content', snippet })),
      ...makeSnippets(hit.notes ?? '', marks.notes).map((snippet) => ({ field: 'note', snippet })),
    ],
  };
};

const SNIPPET_CHARACTERS = 180;
/** So much of a snippet stands before its first mark. */
const BEFORE_CHARACTERS = 50;
/** Looking for a place to cut goes on so far. */
const MAX_WORD_CHARACTERS = 25;
const MAX_SNIPPETS = 3;
/** Of a page full of marks the first ones are enough to choose from. */
const MAX_MARKS = 500;

/** Escaped text, white space drawn together, with `<mark>` around the marks: the only tags in it. */
const render = (text: string, from: number, to: number, marks: readonly Mark[]): string => {
  const clean = (start: number, end: number): string => escapeHtml(text.slice(start, end).replace(/\s+/gu, ' '));
  let html = '';
  let at = from;
  for (const mark of marks) {
    html += `${clean(at, mark.start)}<mark>${clean(mark.start, mark.end)}</mark>`;
    at = mark.end;
  }
  return html + clean(at, to);
};

/** The whole text, for short ones. Undefined where nothing is marked. */
export const markAll = (text: string, marks: readonly Mark[]): string | undefined =>
  marks.length === 0 ? undefined : render(text, 0, text.length, marks);

interface Window {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
  readonly words: ReadonlySet<string>;
}

/** For each mark the marks that fit into a snippet which begins with it. */
const windowsOf = (text: string, marks: readonly Mark[]): Window[] => {
  const fits = (first: Mark, next: Mark | undefined): boolean =>
    next !== undefined && next.end - first.start <= SNIPPET_CHARACTERS - BEFORE_CHARACTERS;
  let count = 0;
  return marks.map((first, i) => {
    count = Math.max(count, i + 1);
    while (fits(first, marks[count])) count += 1;
    const inside = marks.slice(i, count);
    const words = new Set(inside.map((mark) => text.slice(mark.start, mark.end).toLowerCase()));
    return { start: first.start, end: inside.at(-1)?.end ?? first.end, marks: inside, words };
  });
};

/** Different words count most, those that an earlier snippet showed little. */
const valueOf = (window: Window, shown: ReadonlySet<string>): number =>
  [...window.words].filter((word) => !shown.has(word)).length * 100 + window.words.size * 10 + Math.min(window.marks.length, 9);

const areApart = (a: Window, b: Window): boolean => a.start - SNIPPET_CHARACTERS >= b.end || b.start - SNIPPET_CHARACTERS >= a.end;

/** Never between the halves of a surrogate pair. */
const whole = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
};

/** Cuts behind white space where some is near. */
const cutBefore = (text: string, at: number): number => {
  if (at <= 0) return 0;
  const space = text.slice(at, at + MAX_WORD_CHARACTERS).search(/\s/u);
  return whole(text, space === -1 ? at : at + space + 1);
};

const cutAfter = (text: string, at: number): number => {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - MAX_WORD_CHARACTERS);
  const space = text.slice(from, at).search(/\s\S*$/u);
  return whole(text, space === -1 ? at : from + space);
};

const snippetOf = (text: string, { start, end, marks }: Window): string => {
  const from = Math.min(start, cutBefore(text, start - BEFORE_CHARACTERS));
  const to = Math.max(end, cutAfter(text, from + SNIPPET_CHARACTERS));
  const html = render(text, from, to, marks).trim();
  return `${from > 0 ? '…' : ''}${html}${to < text.length ? '…' : ''}`;
};

/** Up to three stretches of the text that show the most different marked words, in the order of the text. */
export const makeSnippets = (text: string, marks: readonly Mark[]): string[] => {
  let rest = windowsOf(text, marks.slice(0, MAX_MARKS));
  const chosen: Window[] = [];
  const shown = new Set<string>();
  while (chosen.length < MAX_SNIPPETS && rest.length > 0) {
    const best = rest.reduce((a, b) => (valueOf(b, shown) > valueOf(a, shown) ? b : a));
    chosen.push(best);
    for (const word of best.words) shown.add(word);
    rest = rest.filter((window) => areApart(window, best));
  }
  return chosen.toSorted((a, b) => a.start - b.start).map((window) => snippetOf(text, window));
};
