import { type SQL, sql } from '@sheaf/db/drizzle';

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
export interface Weighing {
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
export const isStrongIn = (words: readonly string[], frequency: number, weighing: Weighing): SQL =>
  sql`${STRONG_WORDS} && sheaf_strong_keys(${sql.param(words)}::text[], ${sql.param(classesFrom(frequency, weighing))}::integer[])`;

/** Whether a document is in `part` of the library, from 0 to 1, that chance has chosen: as drizzle/0052_add_search_slices.sql has it. */
export const isInPart = (part: number): SQL =>
  sql`(uuid_hash(document_search.document_id) & ${sql.raw(String(SLICES - 1))}) < ${Math.min(SLICES, Math.ceil(part * SLICES))}`;
