import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { QueryAnalysis } from './analyse-query.ts';
import { editDistance } from './edit-distance.ts';
import type { Query } from './query.ts';
import type { Lexeme, Steps } from './steps.ts';
import { type Frequencies, frequencyKey } from './term-frequencies.ts';

/** Words alike by their trigrams; among so many the right one is, if it is there. */
const CANDIDATES = 60;
const MAX_CORRECTIONS = 3;
/** Looking for one takes some 30 ms among 200,000 words. */
const MAX_UNKNOWN = 8;
/** The same as the index on search_terms has. */
const [MIN_CHARACTERS, MAX_CHARACTERS] = [3, 40];

/** Short words are all alike: one error makes half of them another word. */
const allowedErrors = (word: string): number => {
  const length = Array.from(word).length;
  if (length < 4) return 0;
  return length < 6 ? 1 : 2;
};

interface Candidate {
  readonly lexeme: string;
  readonly documents: number;
}

/** The nearest words of the index, the most frequent ones of them. Empty where none is near. */
export const chooseCorrections = (word: string, candidates: readonly Candidate[]): Candidate[] => {
  const limit = allowedErrors(word);
  const near = candidates
    .map((candidate) => ({ ...candidate, errors: editDistance(word, candidate.lexeme, limit) }))
    .filter(({ errors }) => errors > 0 && errors <= limit);
  const fewest = Math.min(...near.map(({ errors }) => errors));
  return near
    .filter(({ errors }) => errors === fewest)
    .toSorted((a, b) => b.documents - a.documents)
    .slice(0, MAX_CORRECTIONS);
};

/** Words that no document has in any language in use: only those are taken for errors. */
const findUnknown = (query: Query, analysis: QueryAnalysis, frequencies: Frequencies): Set<string> => {
  const unknown = new Set<string>();
  for (const term of [...query.must, ...query.should].flat()) {
    if (term.field === 'label' || term.prefix) continue;
    const lexemes = analysis.configurations.flatMap((configuration) =>
      analysis.stepsOf(configuration, term).map((step) => ({ position: step.position, texts: step.anyOf })),
    );
    for (const position of new Set(lexemes.map((lexeme) => lexeme.position))) {
      const here = lexemes.filter((lexeme) => lexeme.position === position).flatMap((lexeme) => lexeme.texts);
      if (here.every((lexeme) => (frequencies.get(frequencyKey(lexeme)) ?? 0) === 0)) for (const { text } of here) unknown.add(text);
    }
  }
  return unknown;
};

interface CandidateRow extends Record<string, unknown>, Candidate {
  readonly word: string;
}

export interface CorrectedAnalysis {
  readonly analysis: QueryAnalysis;
  readonly frequencies: Frequencies;
}

/** Puts words of the index in place of words that no document has, where one or two typing errors can be the reason. */
export const correctWords = async (db: Db, query: Query, analysis: QueryAnalysis, frequencies: Frequencies): Promise<CorrectedAnalysis> => {
  const unknown = [...findUnknown(query, analysis, frequencies)].slice(0, MAX_UNKNOWN);
  if (unknown.length === 0) return { analysis, frequencies };
  const { rows } = await db.execute<CandidateRow>(sql`
    select word, lexeme, documents from unnest(${sql.param(unknown)}::text[]) as asked (word)
    cross join lateral (
      select lexeme, documents from search_terms
      where char_length(lexeme) between ${sql.raw(`${MIN_CHARACTERS} and ${MAX_CHARACTERS}`)} order by lexeme <-> word limit ${CANDIDATES}
    ) as near`);
  const corrections = new Map(
    unknown.map((word) => [
      word,
      chooseCorrections(
        word,
        rows.filter((row) => row.word === word),
      ),
    ]),
  );
  const correct = (lexeme: Lexeme): Lexeme[] => {
    const better = lexeme.isPrefix ? [] : (corrections.get(lexeme.text) ?? []);
    return better.length === 0 ? [lexeme] : better.map(({ lexeme: text }) => ({ text, isPrefix: false }));
  };
  const counted = [...corrections.values()].flat();
  return {
    analysis: {
      ...analysis,
      stepsOf: (configuration, term): Steps =>
        analysis.stepsOf(configuration, term).map((step) => ({ ...step, anyOf: step.anyOf.flatMap(correct) })),
    },
    frequencies: new Map([
      ...frequencies,
      ...counted.map(({ lexeme, documents }) => [frequencyKey({ text: lexeme, isPrefix: false }), documents] as const),
    ]),
  };
};
