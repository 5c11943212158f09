import type { SearchBody } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { marksOf, wordsIn } from './marks.ts';
import { findMatchingWords, type WordQuestion } from './matching-words.ts';
import type { Plan, SharedPlan } from './plan.ts';
import type { HitRow } from './search-sql.ts';
import { makeSnippets, markAll } from './snippets.ts';

type Highlight = SearchBody['results'][number]['highlights'][number];

/** Where the best of a hit is, and how it looks. */
export interface HitPassage {
  readonly page: number | null;
  readonly highlights: readonly Highlight[];
}

/** A part of a page as it is indexed: no more is ever read of a page. */
const PASSAGE_CHARACTERS = 20_160;

interface PassageRow extends Record<string, unknown> {
  readonly document_id: string;
  readonly page: number;
  readonly text: string;
}

/** A hit with the plan that found it and the text of its best part. */
interface Passage {
  readonly hit: HitRow;
  readonly plan: Plan | undefined;
  readonly page: number | null;
  readonly text: string;
}

/** The best part is the one in which most of the words are, most often; the first among equals. */
const readPassages = async (db: Db, hits: readonly HitRow[], plans: readonly SharedPlan[], withText: boolean): Promise<Passage[]> => {
  const planned = hits.map((hit) => ({
    hit,
    plan: plans.find(({ configurations }) => configurations.includes(hit.configuration))?.plan,
  }));
  const inText = planned.filter(({ plan }) => plan !== undefined && plan.contentMarks !== '');
  const { rows } = await db.execute<PassageRow>(sql`
    select hit.id as document_id, passage.page, ${withText ? sql`substr(passage.content, passage.start, ${PASSAGE_CHARACTERS}::int)` : sql`''`} as text
    from unnest(
      ${sql.param(inText.map(({ hit }) => hit.document_id))}::uuid[], ${sql.param(inText.map(({ plan }) => plan?.contentMarks))}::text[]
    ) as hit (id, marks)
    left join lateral (
      select page, start from document_search_parts where document_id = hit.id and not is_border and words @@ marks::tsquery
      order by ts_rank('{1,1,1,1}', words, marks::tsquery) desc, part limit 1
    ) as part on true
    cross join lateral (
      select document_pages.page, content, coalesce(part.start, 1) as start from document_pages
      where document_id = hit.id and content <> '' and (
        document_pages.page = part.page or
        part.page is null and not exists (select from document_search_parts where document_id = hit.id)
      ) limit 1
    ) as passage`);
  const byDocument = new Map(rows.map((row) => [row.document_id, row]));
  return planned.map(({ hit, plan }) => {
    const row = byDocument.get(hit.document_id);
    return { hit, plan, page: row?.page ?? null, text: row?.text ?? '' };
  });
};

/** The words of all texts of a configuration, to be looked up together. */
const toQuestions = (
  passages: readonly Passage[],
  marks: 'titleMarks' | 'contentMarks',
  textOf: (passage: Passage) => string,
): WordQuestion[] => {
  const questions = new Map<string, { configuration: string; marks: string; words: Set<string> }>();
  for (const passage of passages) {
    const { configuration } = passage.hit;
    const question = questions.get(configuration) ?? { configuration, marks: passage.plan?.[marks] ?? '', words: new Set() };
    for (const word of wordsIn(textOf(passage))) question.words.add(word.text);
    questions.set(configuration, question);
  }
  return [...questions.values()];
};

/** The best page of each hit, by document. */
export const findPages = async (db: Db, hits: readonly HitRow[], plans: readonly SharedPlan[]): Promise<ReadonlyMap<string, HitPassage>> =>
  new Map((await readPassages(db, hits, plans, false)).map(({ hit, page }) => [hit.document_id, { page, highlights: [] }]));

/** The best page of each hit with its highlights and those of its title, by document. */
export const findPassages = async (
  db: Db,
  hits: readonly HitRow[],
  plans: readonly SharedPlan[],
): Promise<ReadonlyMap<string, HitPassage>> => {
  const passages = await readPassages(db, hits, plans, true);
  const titles = toQuestions(passages, 'titleMarks', ({ hit }) => hit.title);
  const texts = toQuestions(passages, 'contentMarks', ({ text }) => text);
  const found = await findMatchingWords(db, [...titles, ...texts]);
  const wordsOf = (questions: readonly WordQuestion[], { hit }: Passage, offset: number): ReadonlySet<string> =>
    found[offset + questions.findIndex(({ configuration }) => configuration === hit.configuration)] ?? new Set();
  return new Map(
    passages.map((passage) => [
      passage.hit.document_id,
      toPassage(passage, wordsOf(titles, passage, 0), wordsOf(texts, passage, titles.length)),
    ]),
  );
};

const toPassage = ({ hit, page, text }: Passage, inTitle: ReadonlySet<string>, inText: ReadonlySet<string>): HitPassage => {
  const title = markAll(
    hit.title,
    marksOf(wordsIn(hit.title), (word) => inTitle.has(word)),
  );
  const marks = marksOf(wordsIn(text), (word) => inText.has(word));
  return {
    // a hit in the title alone is on no page
    page: marks.length === 0 ? null : page,
    highlights: [
      ...(title === undefined ? [] : [{ field: 'title', snippet: title }]),
      ...makeSnippets(text, marks).map((snippet) => ({ field: 'content', snippet })),
    ],
  };
};
