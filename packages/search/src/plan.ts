import type { QueryAnalysis } from './analyse-query.ts';
import { type Clause, type ConditionTerm, isCondition, isOfWords, type Query, type Term, type WordsTerm } from './query.ts';
import { frequencyKey, type Lexeme, phraseQuery, type Step, type Steps, scatteredQuery, uniqueLexemes } from './term-frequencies.ts';

/** A term that is looked for in the words: as it was asked for, and with its words anywhere. */
export interface WordsPlan {
  readonly condition?: undefined;
  readonly exact: string;
  readonly scattered: string;
  readonly isPhrase: boolean;
  /** May stand where the positions of a long document have ended. */
  readonly isInParts: boolean;
  /** No more documents than that have it; null where nobody knows. */
  readonly atMost: number | null;
  /** That many documents have it, and no others do. */
  readonly isCounted: boolean;
  /** The clause holds where this does not. */
  readonly isNegated: boolean;
}
export type TermPlan = WordsPlan | { readonly condition: ConditionTerm; readonly isNegated: boolean };
export type ClausePlan = readonly TermPlan[];

/** What a query is for documents of one configuration. */
export interface Plan {
  /** All of these; each holds when any of its terms does. */
  readonly required: readonly ClausePlan[];
  /** None of these. */
  readonly excluded: readonly ClausePlan[];
  readonly scored: readonly Lexeme[];
  /** What is wanted but need not be. */
  readonly scoredConditions: readonly ConditionTerm[];
  /** What highlights mark, empty for nothing. */
  readonly titleMarks: readonly Lexeme[];
  readonly contentMarks: readonly Lexeme[];
  readonly noteMarks: readonly Lexeme[];
}

/** Scoring costs time for each word and match; the words after these find but do not score. */
const MAX_SCORED = 64;

/** Its words may stand in the text. */
const hasText = ({ field }: WordsTerm): boolean => field === undefined || field === 'content';
const hasNotes = ({ field }: WordsTerm): boolean => field === undefined || field === 'note';
const hasTitle = ({ field }: WordsTerm): boolean => field === undefined || field === 'title';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The documents that have one of a step's words, at most. */
const documentsAtMost = ({ anyOf }: Step, { frequencies }: QueryAnalysis): number =>
  sum(anyOf.map((lexeme) => frequencies.get(frequencyKey(lexeme)) ?? Number.POSITIVE_INFINITY));

const planTerm = (term: Term, steps: Steps, analysis: QueryAnalysis): TermPlan | undefined => {
  const isNegated = term.negated === true;
  if (isCondition(term)) return { condition: term, isNegated };
  if (steps.length === 0) return undefined;
  const scattered = scatteredQuery(steps, term.field);
  const isPhrase = steps.length > 1 && term.inAnyOrder !== true;
  const atMost = Math.min(...steps.map((step) => documentsAtMost(step, analysis)));
  return {
    exact: isPhrase ? phraseQuery(steps, term.field) : scattered,
    scattered,
    isPhrase,
    isInParts: isPhrase && hasText(term),
    atMost: Number.isFinite(atMost) ? atMost : null,
    isNegated,
    isCounted: term.field === undefined && steps.length === 1 && steps[0]?.anyOf.length === 1 && !term.prefix && term.inside !== true,
  };
};

/** Each once: PostgreSQL takes a word that is asked for twice ("letter letters") for a rarer one. */
const distinct = (clauses: readonly ClausePlan[]): ClausePlan[] => [
  ...new Map(clauses.map((clause) => [JSON.stringify(clause), clause])).values(),
];

/** The plan for one configuration, or undefined where nothing is left to look for: all words are stop words there. */
const planFor = (query: Query, analysis: QueryAnalysis, configuration: string): Plan | undefined => {
  const planClause = (clause: Clause): ClausePlan =>
    clause.map((term) => planTerm(term, analysis.stepsOf(configuration, term), analysis)).filter((plan) => plan !== undefined);
  const planAll = (clauses: readonly Clause[]): ClausePlan[] => distinct(clauses.map(planClause).filter((clause) => clause.length > 0));
  const must = planAll(query.must);
  const should = planAll(query.should);
  const required = must.length > 0 ? must : [should.flat()].filter((clause) => clause.length > 0);
  const asked = [...query.must, ...query.should].flat();
  if (required.length === 0 && asked.length > 0) return undefined;
  const wanted = asked.filter(isOfWords).filter(({ negated }) => negated !== true);
  const lexemesOf = (terms: readonly Term[]): Lexeme[] => uniqueLexemes(terms.map((term) => analysis.stepsOf(configuration, term)));
  return {
    required,
    excluded: planAll(query.mustNot),
    scored: lexemesOf(wanted)
      .filter(({ isInner }) => isInner !== true)
      .slice(0, MAX_SCORED),
    scoredConditions: query.should.flat().filter(isCondition),
    titleMarks: lexemesOf(wanted.filter(hasTitle)),
    contentMarks: lexemesOf(wanted.filter(hasText)),
    noteMarks: lexemesOf(wanted.filter(hasNotes)),
  };
};

/** Configurations that ask the same share a plan: names and numbers are alike in most languages. */
export interface SharedPlan {
  readonly configurations: readonly string[];
  readonly plan: Plan;
}

export const planQuery = (query: Query, analysis: QueryAnalysis): SharedPlan[] => {
  const shared = new Map<string, { configurations: string[]; plan: Plan }>();
  for (const configuration of analysis.configurations) {
    const plan = planFor(query, analysis, configuration);
    if (plan === undefined) continue;
    const key = JSON.stringify(plan);
    const same = shared.get(key) ?? { configurations: [], plan };
    same.configurations.push(configuration);
    shared.set(key, same);
  }
  return [...shared.values()];
};
