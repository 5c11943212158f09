import type { Db } from '@sheaf/db';
import { sql } from 'drizzle-orm';
import { BULK_DOCUMENTS, labelId, readBulk } from './search-library.ts';

/** Numbers between 0 and 1 that are the same in each run: mulberry32. */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

interface KnownWord extends Record<string, unknown> {
  readonly word: string;
  /** Part of all documents that have it. */
  readonly share: number;
}

const WORDS = /[a-z]{3,}/gu;

/** Words of the first documents as they are written, with how common they are; stop words are none. */
const readWords = async (db: Db, texts: readonly string[], documents: number): Promise<KnownWord[]> => {
  const words = [...new Set(texts.flatMap((text) => text.match(WORDS) ?? []))];
  const { rows } = await db.execute<KnownWord>(sql`
    select word, search_terms.documents::float8 / ${documents}::float8 as share
    from unnest(${sql.param(words)}::text[]) as word
    join search_terms on lexeme = (tsvector_to_array(to_tsvector('sheaf_english', word)))[1]
    order by word`);
  return rows;
};

export interface Queries {
  /** A path of GET /api/search, drawn anew each time. */
  readonly draw: Readonly<Record<'rare' | 'two' | 'phrase' | 'common' | 'filtered', () => string>>;
  /** A path with a part of at least four letters of a word, between stars. */
  readonly drawInside: () => string;
  /** The word nearest to 40 % of the documents, and those nearest to 5 %. */
  readonly veryCommon: KnownWord;
  readonly common: readonly KnownWord[];
  /** One or two words with very many matches, each once. */
  readonly manyMatches: readonly string[];
}

const pathOf = (q: string, filters?: unknown): string =>
  `/api/search?q=${encodeURIComponent(q)}${filters === undefined ? '' : `&filters=${encodeURIComponent(JSON.stringify(filters))}`}`;

const FILTERS = [
  { mime_types: ['application/pdf'] },
  { date_from: '2024-01-01', date_to: '2024-12-31' },
  { label_ids: [labelId(2)] },
  { mime_types: ['text/plain', 'image/png'], label_ids: [labelId(1)] },
  { min_confidence: 0.8 },
];

const nearest = (words: readonly KnownWord[], share: number, count: number): KnownWord[] =>
  words.toSorted((a, b) => Math.abs(a.share - share) - Math.abs(b.share - share)).slice(0, count);

/** Two words that stand side by side in a text, neither a stop word nor in most of the documents. */
const phrasesOf = (texts: readonly string[], known: ReadonlyMap<string, number>): string[] =>
  texts.flatMap((text) => {
    const pairs = [...text.matchAll(/\b([a-z]{3,}) ([a-z]{3,})\b/gu)];
    const good = pairs.filter(([, a = '', b = '']) => (known.get(a) ?? 1) < 0.3 && (known.get(b) ?? 1) < 0.3);
    return good.slice(0, 3).map(([phrase]) => `"${phrase}"`);
  });

const SAMPLED = 2_000;

export const makeQueries = async (db: Db, documents: number): Promise<Queries> => {
  const texts: string[] = [];
  const readable = Math.min(documents, BULK_DOCUMENTS);
  for await (const { n, text } of readBulk(0, readable)) if (n % Math.ceil(readable / SAMPLED) === 0) texts.push(text);
  const words = await readWords(db, texts, documents);
  const random = seededRandom(4);
  const one = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('the corpus has no such words');
    return item;
  };
  const rare = words.filter(({ share }) => share <= 0.001);
  const usual = words.filter(({ share }) => share > 0.001 && share <= 0.03);
  const common = nearest(words, 0.05, 10);
  const phrases = phrasesOf(texts, new Map(words.map(({ word, share }) => [word, share])));
  return {
    draw: {
      rare: () => pathOf(one(rare).word),
      two: () => pathOf(`${one(usual).word} ${one(usual).word}`),
      phrase: () => pathOf(one(phrases)),
      common: () => pathOf(one(common).word),
      filtered: () => pathOf(one(usual).word, one(FILTERS)),
    },
    drawInside: () => {
      const { word } = one(words.filter(({ word: { length } }) => length >= 6));
      const length = 4 + Math.floor(random() * (word.length - 4));
      const from = Math.floor(random() * (word.length - length + 1));
      return pathOf(`*${word.slice(from, from + length)}*`);
    },
    common,
    manyMatches: [0.4, 0.3, 0.2, 0.15, 0.1]
      .flatMap((share) => nearest(words, share, 6).map(({ word }) => word))
      .flatMap((word, i, all) => [word, `${word} ${all[(i + 5) % all.length]}`, `${word} OR ${all[(i + 11) % all.length]}`]),
    veryCommon: nearest(words, 0.4, 1)[0] ?? one(words),
  };
};
