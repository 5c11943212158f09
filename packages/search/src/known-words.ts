import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { QueryAnalysis } from './analyse-query.ts';
import { notesText } from './filter-sql.ts';
import { wordsIn } from './marks.ts';
import { matchCondition } from './match-sql.ts';
import { planQuery, type SharedPlan } from './plan.ts';
import { EMPTY_QUERY, type WordsTerm } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import { frequencyKey, type Lexeme } from './term-frequencies.ts';
import { findMatchingWords } from './word-lexemes.ts';

/** No more is read of a page. */
const PASSAGE_CHARACTERS = 20_160;

const whole = (text: string): Lexeme => ({ text, isPrefix: false });

/** What finds one word as it is typed; empty for a stop word. */
export const plansOfWord = (analysis: QueryAnalysis, word: WordsTerm): SharedPlan[] =>
  planQuery({ ...EMPTY_QUERY, must: [[word]] }, analysis);

/** What finds a word as the index has it. */
export const plansOfLexeme = (analysis: QueryAnalysis, lexeme: string): SharedPlan[] => {
  const asIs: QueryAnalysis = { ...analysis, stepsOf: () => [{ position: 1, anyOf: [whole(lexeme)] }] };
  return plansOfWord(asIs, { text: lexeme, prefix: false });
};

/** For each word up to `limit` documents of `scope` that have it: nobody learns of a word from documents they may not read. */
export const findVisible = async (
  db: Db,
  { visible, inOrder }: SearchScope,
  words: readonly (readonly SharedPlan[])[],
  limit: number,
): Promise<readonly (readonly string[])[]> => {
  const found = words.map((plans) =>
    plans.length === 0
      ? sql`'[]'::json`
      : sql`coalesce((select json_agg(document_id) from (
          select document_search.document_id from document_search where ${visible} and ${matchCondition(plans)} ${inOrder(sql`document_search.document_id`)} limit ${sql.raw(String(limit))}
        ) as found), '[]')`,
  );
  if (found.length === 0) return [];
  const { rows } = await db.execute<{ ids: string[][] }>(sql`select json_build_array(${sql.join(found, sql`, `)}) as ids`);
  return rows[0]?.ids ?? [];
};

/** A word as the index has it, and a document in which it stands. */
export interface Place {
  readonly lexeme: string;
  readonly documentId: string;
}

interface PlaceRow extends Record<string, unknown> {
  readonly lexeme: string;
  readonly configuration: string;
  readonly text: string;
}

/** The title and the notes of each document, and the page or the part of it that has the word. */
const readPlaces = async (db: Db, places: readonly Place[]): Promise<readonly PlaceRow[]> =>
  (
    await db.execute<PlaceRow>(sql`
      select lexeme, configuration, documents.title || E'\\n' || documents.filename || E'\\n'
        || case when documents.notes_count = 0 then '' else ${notesText(sql`documents.id`)} || E'\\n' end || coalesce(passage.text, '') as text
      from unnest(
        ${sql.param(places.map(({ documentId }) => documentId))}::uuid[], ${sql.param(places.map(({ lexeme }) => lexeme))}::text[],
        ${sql.param(places.map(({ lexeme }) => frequencyKey(whole(lexeme))))}::text[]
      ) with ordinality as place (id, lexeme, query, ordinal)
      join documents on documents.id = place.id
      join document_search on document_search.document_id = place.id
      left join lateral (
        select page, start from document_search_parts where document_id = place.id and not is_border and words @@ query::tsquery
        order by part limit 1
      ) as part on true
      left join lateral (
        select substr(content, coalesce(part.start, 1), ${PASSAGE_CHARACTERS}::int) as text from document_pages
        where document_id = place.id and content <> '' and (document_pages.page = part.page or part.page is null) order by document_pages.page limit 1
      ) as passage on true
      order by ordinal`)
  ).rows;

/** By lexeme: the forms in which it stands in those documents, in lower case, and how often each is seen there. */
export const formsAt = async (
  db: Db,
  places: readonly Place[],
  mayBe: (word: string) => boolean,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> => {
  const rows = await readPlaces(db, places);
  const texts = rows.map(({ text }) =>
    wordsIn(text)
      .map((word) => word.text.toLowerCase())
      .filter(mayBe),
  );
  const matching = await findMatchingWords(
    db,
    rows.map(({ lexeme, configuration }, i) => ({ configuration, marks: [whole(lexeme)], words: new Set(texts[i]) })),
  );
  const forms = new Map<string, Map<string, number>>();
  for (const [i, { lexeme }] of rows.entries()) {
    const seen = forms.get(lexeme) ?? new Map<string, number>();
    for (const word of texts[i] ?? []) if (matching[i]?.has(word) === true) seen.set(word, (seen.get(word) ?? 0) + 1);
    forms.set(lexeme, seen);
  }
  return forms;
};
