import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type SearchScope, searchScope } from './search-scope.ts';
import { frequencyKey, readFrequencies } from './term-frequencies.ts';

/** Of a document, the words that it has most often: those that are characteristic of it are among them. */
const MAX_CANDIDATES = 200;
/** Words that are looked for. */
const MAX_WORDS = 20;
/** How often a word can count in one document. */
const MAX_COUNTED = 8;
/** Words in more documents, or in more than half of them, say little and cost much. */
const MAX_DOCUMENTS_OF_WORD = 5_000;

interface Candidate extends Record<string, unknown> {
  readonly lexeme: string;
  readonly count: number;
}

const readCandidates = async (db: Db, { visible }: SearchScope, documentId: string): Promise<Candidate[]> => {
  const { rows } = await db.execute<Candidate>(sql`
    select lexeme, least(cardinality(positions), ${MAX_COUNTED}::int) as count
    from document_search, unnest(document_search.words) where document_search.document_id = ${documentId}::uuid and ${visible} and char_length(lexeme) between 2 and 100
    order by cardinality(positions) desc, lexeme limit ${MAX_CANDIDATES}`);
  return rows;
};

const countDocuments = async (db: Db, { totals, deltas }: SearchScope): Promise<number> => {
  const { rows } = await db.execute<{ documents: number }>(sql`
    select (coalesce((select sum(documents) from ${totals}), 0) + coalesce((select sum(sign) from ${deltas}), 0))::float8 as documents`);
  return rows[0]?.documents ?? 0;
};

interface WeighedWord {
  readonly query: string;
  /** The rarer, the more. */
  readonly weight: number;
}

/** The most characteristic words of a document: often in it, in few others, but in some. */
const findWords = async (db: Db, scope: SearchScope, documentId: string): Promise<WeighedWord[]> => {
  const candidates = await readCandidates(db, scope, documentId);
  const lexemes = candidates.map(({ lexeme: text }) => ({ text, isPrefix: false }));
  const [frequencies, documents] = [await readFrequencies(db, scope, lexemes), await countDocuments(db, scope)];
  return candidates
    .flatMap(({ lexeme, count }) => {
      const query = frequencyKey({ text: lexeme, isPrefix: false });
      const having = frequencies.get(query) ?? 0;
      const weight = Math.log(1 + documents / Math.max(having, 1));
      const isCommon = having > Math.min(MAX_DOCUMENTS_OF_WORD, Math.max(2, documents / 2));
      return having < 2 || isCommon ? [] : [{ query, weight, rank: weight * Math.sqrt(count) }];
    })
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MAX_WORDS);
};

/** A document that has words of another one. */
export interface LikeDocument {
  readonly documentId: string;
  readonly score: number;
}

/**
 * The documents that `principal` may read and that have the most characteristic words of a document, the most alike first, at most `limit`; none where
 * it has no search entry, or may not be read. Scores compare documents of one answer only.
 */
export const findMoreLike = async (db: Db, principal: Principal, documentId: string, limit: number): Promise<LikeDocument[]> => {
  const scope = searchScope(principal);
  if (scope === undefined) return [];
  const words = await findWords(db, scope, documentId);
  if (words.length === 0) return [];
  const { rows } = await db.execute<{ id: string; score: number }>(sql`
    select document_search.document_id as id, sum(weight)::float8 as score
    from unnest(${sql.param(words.map(({ query }) => query))}::text[], ${sql.param(words.map(({ weight }) => weight))}::float8[]) as word (query, weight)
    join document_search on document_search.words @@ word.query::tsquery
    where ${scope.visible} and document_search.document_id <> ${documentId}::uuid
    group by document_search.document_id order by score desc, document_search.document_id limit ${limit}`);
  return rows.map(({ id, score }) => ({ documentId: id, score }));
};
