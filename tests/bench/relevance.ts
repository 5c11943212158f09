import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '@sheaf/db';
import { savePages } from '@sheaf/documents/pages';
import { foldTermStatistics, indexDocument, type Query, searchByQuery } from '@sheaf/search';
import { givenDocument, givenUser, principalOf } from '@sheaf/testkit';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { openScratchDatabase } from './scratch-database.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/search/cranfield');
const TOP = 10;
const LIMIT = 0.54;
/** So few that nearly every query has more. */
const BOUND = 50;

const documentLine = z.object({ _id: z.string(), title: z.string(), text: z.string() });
const queryLine = z.object({ _id: z.string(), text: z.string() });

const readLines = async <T>(file: string, schema: z.ZodType<T>): Promise<T[]> =>
  (await readFile(join(CORPUS, file), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => schema.parse(JSON.parse(line)));

/** By query: how relevant each judged document is. */
type Judgements = ReadonlyMap<string, ReadonlyMap<string, number>>;

const readJudgements = async (): Promise<Judgements> => {
  const judgements = new Map<string, Map<string, number>>();
  for (const line of (await readFile(join(CORPUS, 'qrels.tsv'), 'utf8')).split('\n').slice(1)) {
    const [query = '', document = '', score = ''] = line.split('\t');
    if (query === '') continue;
    judgements.set(query, (judgements.get(query) ?? new Map<string, number>()).set(document, Number(score)));
  }
  return judgements;
};

const gain = (scores: readonly number[]): number =>
  scores.slice(0, TOP).reduce((total, score, i) => total + (2 ** score - 1) / Math.log2(i + 2), 0);

const ndcg = (found: readonly string[], judged: ReadonlyMap<string, number>): number => {
  const ideal = gain([...judged.values()].toSorted((a, b) => b - a));
  return ideal === 0 ? 0 : gain(found.map((id) => judged.get(id) ?? 0)) / ideal;
};

const load = async (db: Db): Promise<Principal> => {
  const user = await givenUser(db, { role: 'viewer' });
  for (const { _id, title, text } of await readLines('corpus.jsonl', documentLine)) {
    await db.transaction(async (tx) => {
      // a file name that no query has a word of; the identifier comes back as part of it
      const document = await givenDocument(tx, { ownerId: user.id, title, filename: `${_id}.q` });
      await savePages(tx, document.id, [{ page: 1, content: text, confidence: 1, origin: 'text' }]);
      await indexDocument(tx, document.id);
    });
  }
  await foldTermStatistics(db);
  return principalOf(user);
};

const idOf = (filename: string): string => filename.replace(/\.q$/, '');

/** Each word may be there or not. */
const asShould = (text: string): Query => ({
  must: [],
  should: text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => [{ text: word, prefix: false }]),
  mustNot: [],
});

type Ranking = (text: string) => Promise<string[]>;

const bm25 =
  (db: Db, principal: Principal, titleWeight: number, exactLimit?: number): Ranking =>
  async (text) => {
    const request = { query: asShould(text), filters: {}, page: 1, perPage: TOP, highlight: false, fuzzy: false, titleWeight };
    const bounded = exactLimit === undefined ? request : { ...request, exactLimit };
    return (await searchByQuery(db, principal, bounded)).results.map((hit) => idOf(hit.filename));
  };

/** What PostgreSQL gives without anything of ours but the vector. */
const tsRank =
  (db: Db, weights: string, normalization: number): Ranking =>
  async (text) => {
    const { rows } = await db.execute<{ filename: string }>(sql`
      with asked as (
        select string_agg(quote_literal(lexeme), ' | ')::tsquery as query from unnest(to_tsvector('sheaf_english', sheaf_words(${text})))
      )
      select filename from asked, document_search join documents on documents.id = document_id where words @@ query
      order by ts_rank(${weights}::real[], words, query, ${normalization}::int) desc, filename limit ${TOP}`);
    return rows.map((row) => idOf(row.filename));
  };

/** Mean nDCG@10 of rankings over Cranfield's queries, its words as alternatives. */
export const run = async (): Promise<void> => {
  if (!existsSync(CORPUS)) {
    console.log(`relevance: skipped, ${CORPUS} is not there`);
    return;
  }
  await using database = await openScratchDatabase();
  const { db } = database;
  const principal = await load(db);
  const [queries, judgements] = await Promise.all([readLines('queries.jsonl', queryLine), readJudgements()]);
  const measure = async (name: string, ranking: Ranking): Promise<number> => {
    let total = 0;
    for (const { _id, text } of queries) total += ndcg(await ranking(text), judgements.get(_id) ?? new Map());
    const mean = total / queries.length;
    console.log(`${name.padEnd(50)} ${mean.toFixed(4)}`);
    return mean;
  };
  console.log(`nDCG@${TOP} on Cranfield, ${queries.length} queries, words as alternatives`);
  await measure('ts_rank, title weight A', tsRank(db, '{0.1,0.2,0.4,1}', 0));
  await measure('ts_rank, no weights, length-normalised', tsRank(db, '{1,1,1,1}', 1));
  const mean = await measure('BM25, title and text as one field', bm25(db, principal, 0));
  await measure(`the same, matches beyond ${BOUND} by strong words`, bm25(db, principal, 0, BOUND));
  for (const weight of [2, 4, 8]) await measure(`BM25, title weight ${weight}`, bm25(db, principal, weight));
  console.log(`${mean >= LIMIT ? 'reached' : 'MISSED'}: at least ${LIMIT} with title and text as one field`);
};
