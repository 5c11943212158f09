import type { QueryAnalysis } from './analyse-query.ts';
import type { ClausePlan, SharedPlan, TermPlan } from './plan.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** How many documents match, as far as the statistics of words tell. */
export interface MatchBound {
  /** No more than that. */
  readonly atMost: number;
  /** Undefined: words say nothing of how many match. */
  readonly byWords: number | undefined;
  /** That many and no fewer: each document with a word, and nothing else is asked. */
  readonly isExact: boolean;
}

/** What `plans` find before any filter. */
export const matchBound = (plans: readonly SharedPlan[], { documents, configurations }: QueryAnalysis): MatchBound => {
  const ofTerm = (term: TermPlan): number => (term.condition === undefined && !term.isNegated ? (term.atMost ?? documents) : documents);
  const ofClause = (clause: ClausePlan): number => sum(clause.map(ofTerm));
  // a word that is the same in several languages is counted for each of them
  const atMost = Math.min(documents, sum(plans.map(({ plan }) => Math.min(documents, ...plan.required.map(ofClause)))));
  const [only] = plans;
  const clause = only?.plan.required.length === 1 && only.plan.excluded.length === 0 ? only.plan.required[0] : undefined;
  const [term] = clause ?? [];
  const isOneWord = clause?.length === 1 && term?.condition === undefined && term?.isCounted === true && !term.isNegated;
  return {
    atMost,
    byWords: atMost < documents ? atMost : undefined,
    isExact: isOneWord && plans.length === 1 && only?.configurations.length === configurations.length,
  };
};
