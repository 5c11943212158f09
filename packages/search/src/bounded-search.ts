import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { QueryAnalysis } from './analyse-query.ts';
import type { SharedPlan } from './plan.ts';
import {
  type CountsRow,
  countStatement,
  normOf,
  type RankedHit,
  type SearchStatement,
  type StrongRow,
  scoreBelow,
  strongStatement,
} from './search-sql.ts';

/** How strong a word must be, tier by tier: so many times in a document of average length. */
const TIERS = [12, 8, 5.5, 4, 3, 2] as const;
/** The tier to begin with, by the part of the matches that is wanted: a tier that gives too little is a query in vain. */
const FIRST_TIERS = [0.0005, 0.005, 0.03, 0.1] as const;
/** Matches beyond the wanted ones that are looked at before a page is given whose order is not proven. */
const ENOUGH = 2_000;

export interface RankedQuery {
  readonly statement: SearchStatement;
  readonly plans: readonly SharedPlan[];
  readonly analysis: QueryAnalysis;
  readonly titleWeight: number;
  /** How many documents match, roughly. */
  readonly matches: number;
}

/**
 * The best matches without a look at all of them: those in which a word of the query is strong, tier by tier (tiered indexes with
 * a threshold that ends the descent: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 7.1.4 and 7.2.1; Fagin, Lotem, Naor,
 * Optimal aggregation algorithms for middleware, 2003). The descent ends where every match of the page scores more than any document of the
 * tiers below could, or where many times more were looked at than are wanted. Undefined where the matches with a strong word
 * are fewer than wanted.
 */
export const findStrongHits = async (
  db: Db,
  { statement, plans, analysis, titleWeight, matches }: RankedQuery,
): Promise<readonly RankedHit[] | undefined> => {
  const words = [...new Set(plans.flatMap(({ plan }) => plan.scored.filter(({ isPrefix }) => !isPrefix).map(({ text }) => text)))];
  if (words.length === 0) return undefined;
  const wanted = statement.offset + statement.limit;
  const weighing = { titleWeight, normOf: (length: number) => normOf(analysis, length) };
  const first = FIRST_TIERS.filter((part) => wanted / matches > part).length;
  for (const frequency of TIERS.slice(first)) {
    const { rows } = await db.execute<StrongRow>(
      strongStatement(statement, isStrongIn(words, frequency, weighing), scoreBelow(plans, analysis, frequency), wanted + ENOUGH),
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    if (row.sure >= wanted || row.candidates >= wanted + ENOUGH) return row.hits;
  }
  return undefined;
};

/** Facets of a bounded search are counted over so many matches: they are lower bounds however many were read. */
const COUNTED_MATCHES = 2_500;

/** So many matches are named by the index of words in the time in which one entry of the library is read and compared. */
const NAMED_PER_ENTRY = 10;

/** The counts of a part of the library that has some 2,500 of the matches, or `limit` where that is less. */
export const countPart = async (
  db: Db,
  { statement, analysis: { documents }, matches }: RankedQuery,
  limit: number,
): Promise<CountsRow | undefined> => {
  const part = Math.min(limit, COUNTED_MATCHES) / matches;
  // a very common word is in most entries of the part: to look up all that have it, to meet both, takes longer
  const isReadWhole = part * documents * NAMED_PER_ENTRY < matches;
  return (await db.execute<CountsRow>(countStatement(statement, isInPart(part), { isReadWhole }))).rows[0];
};

/** How often a word stands in a document, in classes from each number to the next; as in drizzle/0030_add_strong_words.sql. */
const FREQUENCIES = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 32, 64] as const;
/** How long a document is, likewise. */
const LENGTHS = [
  0, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 32_768,
] as const;
/** How often a word stands in the title; the last class is open. */
const TITLES = [0, 1, 2] as const;

/** Slices that the library is parted into by chance. */
const SLICES = 256;

/** What makes a word count in a document, as BM25 sees it. */
interface Weighing {
  /** How much a document is held back that is `length` words long. */
  readonly normOf: (length: number) => number;
  /** How many times in the text once in the title counts. */
  readonly titleWeight: number;
}

/** The classes in which some document may have a word `frequency` times or more, a frequency being as it would be at average length. */
const classesFrom = (frequency: number, { normOf, titleWeight }: Weighing): number[] =>
  FREQUENCIES.flatMap((_, f) =>
    LENGTHS.flatMap((shortest, l) =>
      TITLES.flatMap((titles, t) => {
        const isOpen = t === TITLES.length - 1 && titleWeight > 0;
        const most = isOpen ? Number.POSITIVE_INFINITY : (FREQUENCIES[f + 1] ?? Number.POSITIVE_INFINITY) - 1;
        return most / normOf(shortest) + titleWeight * titles >= frequency ? [f + 1 + 16 * (l + 1) + 512 * t] : [];
      }),
    ),
  );

const STRONG_WORDS = sql`sheaf_strong_words(document_search.document_id, document_search.words, document_search.length)`;

/** Whether one of `words` counts in a document as if it stood there `frequency` times or more at average length, or may do so. */
const isStrongIn = (words: readonly string[], frequency: number, weighing: Weighing): SQL =>
  sql`${STRONG_WORDS} && sheaf_strong_keys(${sql.param(words)}::text[], ${sql.param(classesFrom(frequency, weighing))}::integer[])`;

/** Whether a document is in `part` of the library, from 0 to 1, that chance has chosen: as drizzle/0052_add_search_slices.sql has it. */
const isInPart = (part: number): SQL =>
  sql`(uuid_hash(document_search.document_id) & ${sql.raw(String(SLICES - 1))}) < ${Math.min(SLICES, Math.ceil(part * SLICES))}`;
