import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { isOfWords, type Query, type Term, type WordsTerm } from './query.ts';
import type { SearchScope } from './search-scope.ts';
import { findSpellings, PLAIN, readRows, spelled, type TotalsRow } from './spellings.ts';
import {
  beginningInside,
  type Frequencies,
  frequencyKey,
  type IndexWord,
  type Lexeme,
  readFrequencies,
  type Steps,
  toSteps,
  uniqueLexemes,
  withAlternatives,
} from './term-frequencies.ts';

/**
 * What words go on with that stemmers take off: `universit` is no beginning of the stem of `university`, which is `univers`. The
 * stems of a beginning with each of these tell which shorter stems belong to it.
 */
const WORD_ENDINGS: readonly string[] = [
  'y ty ity ies ties e es s ed ing ion ions ation al ment ness able ly', // English, and French in part
  'n en er ern ung ungen heit keit isch lich', // German
  'ée eur euse ique té ance ence aux o a os as ción dad zione are ar ere', // French, Spanish, Italian
].flatMap((endings) => endings.split(' '));

/** So many beginnings of one query are looked at so; the others are found by their letters alone. */
const MAX_COMPLETED_TERMS = 4;

export interface QueryAnalysis {
  /** Those that some document of the scope has. */
  readonly configurations: readonly string[];
  readonly documents: number;
  readonly averageLength: number;
  /** In how many documents the words of the query are. */
  readonly frequencies: Frequencies;
  /** A part of a word is in more words than were taken. */
  readonly isTruncated: boolean;
  stepsOf(configuration: string, term: Term): Steps;
}

const wordsAt = (row: TotalsRow | undefined, ordinal: number): IndexWord[] =>
  (row?.words ?? [])
    .filter((word) => word.ordinal === ordinal)
    .flatMap(({ lexeme, positions }) => positions.map((position) => ({ lexeme, position })));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Those of whole words came with the words; beginnings are looked up. */
const frequenciesOf = async (db: Db, scope: SearchScope, rows: readonly TotalsRow[], lexemes: readonly Lexeme[]): Promise<Frequencies> => {
  const whole = rows.flatMap(({ words }) =>
    words.map(({ lexeme: text, documents }) => [frequencyKey({ text, isPrefix: false }), documents] as const),
  );
  const known = new Map(whole);
  const beginnings = await readFrequencies(
    db,
    scope,
    lexemes.filter((lexeme) => lexeme.isInner !== true && !known.has(frequencyKey(lexeme))),
  );
  return new Map([...known, ...beginnings]);
};

/** Words are stop words with their accents; who types none means them too. */
const withoutPlainStopWords = (words: readonly IndexWord[], plain: readonly IndexWord[], configuration: string): IndexWord[] => {
  const dropped = plain.filter(({ lexeme }) => isPlainStopWord(configuration, lexeme)).map(({ position }) => position);
  return words.filter(({ position }) => !dropped.includes(position));
};

/** The texts to ask for: the terms, then each beginning with each ending. */
const textsOf = (terms: readonly WordsTerm[]): { texts: string[]; completionsAt: ReadonlyMap<WordsTerm, number> } => {
  const texts = terms.map((term) => term.text);
  const completionsAt = new Map<WordsTerm, number>();
  for (const term of terms.filter(({ prefix }) => prefix).slice(0, MAX_COMPLETED_TERMS)) {
    completionsAt.set(term, texts.length + 1);
    texts.push(...WORD_ENDINGS.map((ending) => term.text + ending));
  }
  return { texts, completionsAt };
};

/** The other spellings of terms, whole words alone, to be asked for behind `texts`: what a beginning goes on to is not known. */
const alternativesOf = (
  terms: readonly WordsTerm[],
  spellings: ReadonlyMap<string, string>,
  from: number,
): { texts: string[]; at: ReadonlyMap<WordsTerm, number> } => {
  const texts: string[] = [];
  const at = new Map<WordsTerm, number>();
  for (const term of spellings.size === 0 ? [] : terms) {
    const text = spelled(term.text, spellings);
    if (term.prefix || term.inside === true || text === term.text) continue;
    texts.push(text);
    at.set(term, from + texts.length);
  }
  return { texts, at };
};

/** The last lexemes of the completed texts that begin at ordinal `from`. */
const lastLexemes = (row: TotalsRow, from: number): string[] =>
  WORD_ENDINGS.flatMap((_, i) => wordsAt(row, from + i).toSorted((a, b) => b.position - a.position)[0]?.lexeme ?? []);

/** The words that have in them the first words of those terms that may begin earlier. */
const innerWordsOf = async (
  db: Db,
  scope: SearchScope,
  rows: readonly TotalsRow[],
  terms: readonly WordsTerm[],
): Promise<ReadonlyMap<WordsTerm, InnerWords>> => {
  const plainRow = rows.find((row) => row.configuration === PLAIN);
  const parts = terms.flatMap((term, i) => {
    const plain = wordsAt(plainRow, i + 1).toSorted((a, b) => a.position - b.position);
    const [first] = plain;
    if (term.inside !== true || first === undefined || !isLongEnough(first.lexeme)) return [];
    const stems = rows.flatMap((row) => wordsAt(row, i + 1).filter(({ position }) => position === first.position));
    return [{ term, text: first.lexeme, stems: [...new Set(stems.map(({ lexeme }) => lexeme))], isEnd: plain.length > 1 || !term.prefix }];
  });
  const found = await findInnerWords(db, scope, parts);
  return new Map(parts.flatMap(({ term }, at) => (found[at] === undefined ? [] : [[term, found[at]] as const])));
};

/** Asks PostgreSQL what the words of the query are in the index: for each language that some document of `scope` has. */
export const analyseQuery = async (db: Db, scope: SearchScope, query: Query): Promise<QueryAnalysis> => {
  const asked = [...query.must, ...query.should].flat().filter(isOfWords);
  const wanted = asked.filter(({ negated }) => negated !== true);
  const terms = [...wanted, ...asked.filter(({ negated }) => negated === true), ...query.mustNot.flat().filter(isOfWords)];
  const { texts, completionsAt } = textsOf(terms);
  const alternatives = alternativesOf(wanted, await findSpellings(db, scope, wanted), texts.length);
  const rows = await readRows(db, scope, [...texts, ...alternatives.texts]);
  const plainRow = rows.find((row) => row.configuration === PLAIN);
  const innerWords = await innerWordsOf(db, scope, rows, terms);
  const stepsFor = (row: TotalsRow, term: WordsTerm, ordinal: number): Steps => {
    const plain = wordsAt(plainRow, ordinal);
    const from = completionsAt.get(term);
    const completed = from === undefined ? [] : lastLexemes(row, from);
    const typed = toSteps(withoutPlainStopWords(wordsAt(row, ordinal), plain, row.configuration), plain, term.prefix, completed);
    const alternativeAt = alternatives.at.get(term);
    const steps = alternativeAt === undefined ? typed : withAlternatives(typed, wordsAt(row, alternativeAt));
    const inner = innerWords.get(term);
    return inner === undefined ? steps : beginningInside(steps, plain, term.prefix, inner.lexemes);
  };
  const steps = new Map<string, Map<Term, Steps>>();
  for (const row of rows) steps.set(row.configuration, new Map(terms.map((term, i) => [term, stepsFor(row, term, i + 1)])));
  const documents = sum(rows.map((row) => row.documents));
  return {
    configurations: rows.filter((row) => row.documents > 0).map((row) => row.configuration),
    documents,
    averageLength: sum(rows.map((row) => row.length)) / Math.max(documents, 1),
    frequencies: await frequenciesOf(db, scope, rows, uniqueLexemes([...steps.values()].flatMap((byTerm) => [...byTerm.values()]))),
    isTruncated: [...innerWords.values()].some(({ isTruncated }) => isTruncated),
    stepsOf: (configuration, term) => steps.get(configuration)?.get(term) ?? [],
  };
};

/**
 * Stop words as they are typed without their accents. The stop words of a configuration are known by the accents they are written
 * with, and have none left where those are taken off; a document that has für in it has no word for fur.
 */
const WRITTEN: Readonly<Record<string, string>> = {
  sheaf_danish: `
    pa nar vaere ogsa vaeret sadan`,
  sheaf_finnish: `
    eivat mina sina han hanen hanet hanta hanessa hanesta haneen hanella hanelta hanelle meidan meidat meita meissa
    meista meilla meilta teidan teidat teita teissa teista teilla teilta heidan heidat heita heissa heista heilla
    heilta tama taman tata tassa tasta tahan talla talta talle tana taksi tuota sita siina siita silla silta nama
    naiden naita naissa naista naihin nailla nailta naille naina naiksi niita niissa niista niilla niilta niina keta
    kenessa kenesta kenella kenelta kenena ketka keita keissa keista keilla keilta keina mika minka mita missa mista
    milla milta mitka etta seka`,
  sheaf_french: `
    meme a ete etee etees etes etant etante etants etantes etais etait etions etiez etaient fumes futes eumes eutes`,
  sheaf_german: `
    dass fur konnen konnte uber wahrend wurde wurden`,
  sheaf_hungarian: `
    altal altalaban amig at arrol azert aztan azutan bar belul egesz egyeb eleg elo eloszor elott elso en eppen ezert
    es fele igy ismet jo jol keresztul keressunk kivul kozott kozul legalabb magat mar mas masik mig miert neha nehany
    nelkul ossze o ok oket ra sajat szamara talan tehat tovabb tovabba tobb ugy uj ujabb ujra utan utana utolso valo`,
  sheaf_italian: `
    perche piu avro avra saro sara faro fara staro stara`,
  sheaf_norwegian: `
    pa sa na sjol nar vaere a sann bade ogsa vaert bae hja`,
  sheaf_portuguese: `
    nao ja tambem so ate voce voces estao estavamos estiveramos estivessemos ha hao houveramos houvessemos houverao
    houveriamos sao eramos foramos fossemos sera serao seriamos tinhamos tiveramos tivessemos tera terao teriamos`,
  sheaf_spanish: `
    mas si tambien mio mia mios mias estais estan estes esteis esten estare estaras estara estareis estaran estaria
    estarias estariamos estariais estarian estabamos estuvieramos estuviesemos habeis hayais habre habras habra habreis
    habran habria habrias habriamos habriais habrian habia habias habiamos habiais habian hubieramos hubiesemos seais
    sere seras sera sereis seran seria serias seriamos seriais serian eramos fueramos fuesemos teneis tengais tendre
    tendras tendra tendreis tendran tendria tendrias tendriamos tendriais tendrian tenia tenias teniamos teniais tenian
    tuvieramos tuviesemos`,
  sheaf_swedish: `
    pa for sa ar da dar nagot fran nar over an nagon sjalv at nagra sadan sadant varfor sadana`,
  sheaf_turkish: `
    aslinda bazi birkac birsey cok cunku eger hic icin mi nasil nicin sey su tum`,
};

const PLAIN_STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(WRITTEN).map(([configuration, words]) => [configuration, new Set(words.trim().split(/\s+/u))]),
);

const isPlainStopWord = (configuration: string, word: string): boolean => PLAIN_STOP_WORDS[configuration]?.has(word) === true;

/** So many words stand for a part of a word, the most frequent first: each costs a look into the index. */
const MAX_WORDS = 128;
/** Words after these are left out where those before them are in so many documents: each document costs some 7 µs. */
const MAX_DOCUMENTS = 4_000;
/** The same as the index on search_terms has. */
const [MIN_CHARACTERS, MAX_CHARACTERS] = [3, 40];
/** Words of documents that came just now are not in the dictionary yet. */
const NEWEST_DELTAS = 100;

/** A part of a word that is looked for: anywhere in it, or at its end. */
interface WordPart {
  readonly text: string;
  /** How words that end with it may end in the index, where endings are taken off. */
  readonly stems: readonly string[];
  readonly isEnd: boolean;
}

interface InnerWords {
  readonly lexemes: readonly string[];
  /** There are more. */
  readonly isTruncated: boolean;
}

/** A part of fewer letters is in so many words that it tells nothing. */
const isLongEnough = (text: string): boolean => Array.from(text).length >= MIN_CHARACTERS;

const literal = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

const patternsOf = ({ text, stems, isEnd }: WordPart): string[] => [
  ...new Set([isEnd ? `%${literal(text)}` : `%${literal(text)}%`, ...stems.filter(isLongEnough).map((stem) => `%${literal(stem)}`)]),
];

/**
 * The words of the index that have each part in them, out of the dictionary by its trigrams; the text of no document is read. For parts of
 * at least three letters.
 */
const findInnerWords = async (db: Db, { dictionary, deltas }: SearchScope, parts: readonly WordPart[]): Promise<InnerWords[]> => {
  if (parts.length === 0) return [];
  const asked = parts.flatMap((part, ordinal) => patternsOf(part).map((pattern) => ({ ordinal, pattern })));
  const limit = MAX_WORDS + 1;
  const { rows } = await db.execute<{ ordinal: number; lexeme: string; documents: number }>(sql`
    with newest as materialized (
      select distinct lexeme from (select lexemes from ${deltas} order by id desc limit ${NEWEST_DELTAS}) as latest,
        unnest(tsvector_to_array(lexemes)) as lexeme
    )
    select ordinal, lexeme, max(documents)::float8 as documents
    from unnest(${sql.param(asked.map(({ ordinal }) => ordinal))}::int[], ${sql.param(asked.map(({ pattern }) => pattern))}::text[])
      as asked (ordinal, pattern)
    cross join lateral (
      (select lexeme, documents from ${dictionary}
        where lexeme like pattern and char_length(lexeme) between ${sql.raw(`${MIN_CHARACTERS} and ${MAX_CHARACTERS}`)}
        order by documents desc, lexeme limit ${limit})
      union all (select lexeme, 1 from newest where lexeme like pattern limit ${limit})
    ) as known
    group by ordinal, lexeme order by ordinal, max(documents) desc, lexeme`);
  return parts.map((_, at) => {
    const found = rows.filter(({ ordinal }) => ordinal === at);
    const count = Math.min(found.length, MAX_WORDS, withinBudget(found));
    return { lexemes: found.slice(0, count).map(({ lexeme }) => lexeme), isTruncated: count < found.length };
  });
};

/** How many words come before there are too many documents; one at least. */
const withinBudget = (words: readonly { readonly documents: number }[]): number => {
  let documents = 0;
  const end = words.findIndex((word, at) => {
    documents += word.documents;
    return at > 0 && documents > MAX_DOCUMENTS;
  });
  return end === -1 ? words.length : end;
};
