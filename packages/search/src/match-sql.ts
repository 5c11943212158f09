import { type SQL, sql } from '@sheaf/db/drizzle';
import { conditionOf } from './condition-terms.ts';
import { factByIndex } from './fact-conditions.ts';
import { fieldTermByIndex } from './field-conditions.ts';
import { isFieldTerm } from './field-terms.ts';
import type { ClausePlan, Plan, SharedPlan, TermPlan, WordsPlan } from './plan.ts';
import type { ConditionTerm } from './query.ts';
import { allOf, anyOf } from './tsquery.ts';

const all = (conditions: readonly SQL[]): SQL => (conditions.length === 0 ? sql`true` : sql`(${sql.join([...conditions], sql` and `)})`);
const any = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` or `)})`;

const hasWords = (query: string): SQL => sql`document_search.words @@ ${query}::tsquery`;

/** Also where the document's own positions have ended. */
const holdsAnywhere = (term: TermPlan): SQL => {
  if (term.condition !== undefined) return conditionOf(term.condition);
  if (!term.isInParts) return hasWords(term.exact);
  return sql`(${hasWords(term.exact)} or document_search.is_long and exists (select from document_search_parts
    where document_search_parts.document_id = document_search.document_id and document_search_parts.words @@ ${term.exact}::tsquery))`;
};
const termAnywhere = (term: TermPlan): SQL => (term.isNegated ? sql`not ${holdsAnywhere(term)}` : holdsAnywhere(term));
const clauseAnywhere = (clause: ClausePlan): SQL => any(clause.map(termAnywhere));

const isOfWords = (clause: ClausePlan): clause is readonly WordsPlan[] =>
  clause.every((term) => term.condition === undefined && !term.isNegated);

/**
 * Clauses of words alone become one query for the index. With phrases in it, the index is asked for their words in any order; the
 * phrases are then checked in the document's vector, and in the parts of a long document.
 */
const planCondition = (plan: Plan): SQL => {
  const required = plan.required.filter(isOfWords);
  const excluded = plan.excluded.filter(isOfWords);
  const withConditions = [
    ...plan.required.filter((clause) => !isOfWords(clause)).map(clauseAnywhere),
    ...plan.excluded.filter((clause) => !isOfWords(clause)).map((clause) => sql`not ${clauseAnywhere(clause)}`),
  ];
  if (required.length + excluded.length === 0) return all(withConditions);
  const exact = hasWords(
    allOf([
      ...required.map((clause) => anyOf(clause.map((term) => term.exact))),
      ...excluded.map((clause) => `!${anyOf(clause.map((term) => term.exact))}`),
    ]),
  );
  if (![...required, ...excluded].flat().some((term) => term.isPhrase)) return all([exact, ...withConditions]);
  const scattered = required.map((clause) => anyOf(clause.map((term) => term.scattered)));
  const inParts = all([...required.map(clauseAnywhere), ...excluded.map((clause) => sql`not ${clauseAnywhere(clause)}`)]);
  return all([
    ...(scattered.length === 0 ? [] : [hasWords(allOf(scattered))]),
    // an excluded phrase may stand in the parts alone
    sql`case when document_search.is_long then ${inParts} else ${exact} end`,
    ...withConditions,
  ]);
};

const conditionByIndex = (condition: ConditionTerm): SQL | undefined =>
  isFieldTerm(condition) ? fieldTermByIndex(condition) : factByIndex(condition);

/**
 * What is asked of facts where no word is: for all configurations alike, and where indexes on documents find it. Anything else reads
 * no more entries than have the words.
 */
const byIndex = (plans: readonly SharedPlan[]): SQL[] =>
  plans.some(({ plan }) => plan.required.some(isOfWords))
    ? []
    : (plans[0]?.plan.required ?? []).flatMap(([term, ...others]) =>
        term?.condition === undefined || term.isNegated || others.length > 0 ? [] : (conditionByIndex(term.condition) ?? []),
      );

/** The documents that match, each by the plan of its own configuration. */
export const matchCondition = (plans: readonly SharedPlan[]): SQL =>
  all([
    ...byIndex(plans),
    any(
      plans.map(
        ({ configurations, plan }) =>
          sql`(document_search.configuration = any(${sql.param(configurations)}::text[]) and ${planCondition(plan)})`,
      ),
    ),
  ]);
