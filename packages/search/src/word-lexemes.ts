import { type Db, runPrepared } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Lexeme } from './term-frequencies.ts';

/** Words of a text of one configuration, and what they are wanted to be in the index. */
export interface WordQuestion {
  readonly configuration: string;
  readonly marks: readonly Lexeme[];
  readonly words: Iterable<string>;
}

/** Their stemmers also change how a word begins. */
const CHANGES_BEGINNINGS: ReadonlySet<string> = new Set([
  'sheaf_arabic',
  'sheaf_dutch',
  'sheaf_indonesian',
  'sheaf_irish',
  'sheaf_nepali',
  'sheaf_tamil',
  'sheaf_yiddish',
]);
/** Of a text that never repeats itself no more than this many words are asked for. */
const MAX_WORDS = 5_000;
/** Words that are remembered, in each of two generations: some 10 MB. */
const MAX_CACHED = 40_000;

const IS_LETTER_WITHOUT_PARTS = /^(?=[\p{Script=Latin}\p{N}])[^a-z0-9]/u;
const firsts = new Map<string, string>();

/** The first letter of a word in lower case and without its accents; a map, as normalising takes longer than all else here. */
const plainFirst = (word: string): string => {
  const first = word.slice(0, (word.codePointAt(0) ?? 0) > 0xff_ff ? 2 : 1);
  const known = firsts.get(first);
  if (known !== undefined) return known;
  const plain = Array.from(first.normalize('NFKD').toLowerCase())[0] ?? '';
  if (firsts.size < 5_000) firsts.set(first, plain);
  return plain;
};

/** First letters of the wanted words; letters like ø, which lose their stroke only in PostgreSQL, are let through. */
const mayMatch = ({ configuration, marks }: WordQuestion): ((word: string) => boolean) => {
  if (CHANGES_BEGINNINGS.has(configuration)) return () => true;
  const wanted = new Set(marks.map(({ text }) => plainFirst(text)));
  return (word) => {
    const first = plainFirst(word.startsWith('\u00ad') ? word.replace(/^\u00ad+/u, '') : word);
    return wanted.has(first) || IS_LETTER_WITHOUT_PARTS.test(first);
  };
};

/** Each once. */
const wordsToAsk = (question: WordQuestion): string[] => {
  const isAsked = mayMatch(question);
  const words = new Set<string>();
  for (const word of question.words) {
    if (words.size >= MAX_WORDS) break;
    if (isAsked(word)) words.add(word);
  }
  return [...words];
};

/** What words are in the index. The younger generation becomes the older one when it is full, and the older one is forgotten. */
class WordMemory {
  #young = new Map<string, readonly string[]>();
  #old = new Map<string, readonly string[]>();

  get(key: string): readonly string[] | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, lexemes: readonly string[]): void {
    if (this.#young.size >= MAX_CACHED) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, lexemes);
  }
}

/** Of each database its own, as its dictionaries are. */
const memories = new WeakMap<Db, WordMemory>();

const memoryOf = (db: Db): WordMemory => {
  const memory = memories.get(db) ?? new WordMemory();
  memories.set(db, memory);
  return memory;
};

interface Asked {
  readonly configuration: string;
  readonly word: string;
}

const keyOf = ({ configuration, word }: Asked): string => `${configuration} ${word}`;

/** Asks PostgreSQL for the words that are not remembered. */
const learn = async (db: Db, memory: WordMemory, asked: readonly Asked[]): Promise<void> => {
  const unknown = [...new Map(asked.map((word) => [keyOf(word), word])).entries()]
    .filter(([key]) => memory.get(key) === undefined)
    .map(([, word]) => word);
  if (unknown.length === 0) return;
  const rows = await runPrepared<{ configuration: string; word: string; lexemes: readonly string[] }>(db, {
    name: 'search_word_lexemes',
    text: sql`
    select configuration, word, tsvector_to_array(to_tsvector(configuration::regconfig, sheaf_words(word))) as lexemes
    from unnest(${sql.param(unknown.map(({ configuration }) => configuration))}::text[], ${sql.param(unknown.map(({ word }) => word))}::text[])
      as asked (configuration, word)`,
  });
  for (const row of rows) memory.set(keyOf(row), row.lexemes);
};

const isOneOf = (marks: readonly Lexeme[]): ((lexeme: string) => boolean) => {
  const whole = new Set(marks.filter(({ isPrefix }) => !isPrefix).map(({ text }) => text));
  const beginnings = marks.filter(({ isPrefix }) => isPrefix).map(({ text }) => text);
  return (lexeme) => whole.has(lexeme) || beginnings.some((beginning) => lexeme.startsWith(beginning));
};

/**
 * Which of the words are among those wanted, as PostgreSQL sees it: stemmed and without accents. That is asked for the words with
 * the right first letter that were not asked for before, because to have it mark up the pages takes three times as long as all of
 * the search.
 */
export const findMatchingWords = async (db: Db, questions: readonly WordQuestion[]): Promise<ReadonlySet<string>[]> => {
  const asked = questions.map((question) => (question.marks.length === 0 ? [] : wordsToAsk(question)));
  const memory = memoryOf(db);
  const learnt = questions.flatMap(({ configuration }, i) => (asked[i] ?? []).map((word) => ({ configuration, word })));
  await learn(db, memory, learnt);
  return questions.map(({ configuration, marks }, i) => {
    const isWanted = isOneOf(marks);
    return new Set((asked[i] ?? []).filter((word) => (memory.get(keyOf({ configuration, word })) ?? []).some(isWanted)));
  });
};
