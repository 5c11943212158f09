import { firstAfter, notBefore } from '@sheaf/contract';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { compares, comparesIndexed, factByIndex, isId, namedCondition, ofDocument, valueCondition } from './fact-conditions.ts';
import { fieldTermByIndex, fieldTermCondition } from './field-conditions.ts';
import type { ClausePlan, Plan, SharedPlan, TermPlan, WordsPlan } from './plan.ts';
import type { Comparison, ConditionTerm, TextTerm } from './query.ts';
import { allOf, anyOf } from './term-frequencies.ts';
import { isFieldTerm } from './write-query.ts';

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

/** Whether a label or a source has this name, or this id. */
const isNamed = (table: 'labels' | 'sources', compare: Comparison, text: string): SQL => {
  const named = compares(sql.raw(`${table}.name`), compare, text);
  return isId(text) ? sql`(${named} or ${sql.raw(`${table}.id`)} = ${text}::uuid)` : named;
};

/** Where a document came from: a source, which may be gone, or the way it came by, such as `upload`. */
const isOfSource = (compare: Comparison, text: string): SQL => sql`(${compares(sql`documents.source`, compare, text)}
  ${isId(text) ? sql`or documents.source_id = ${text}::uuid` : sql``}
  or exists (select from sources where sources.id = documents.source_id and ${isNamed('sources', compare, text)}))`;

/** The id that a document had in another system, such as `paperless:123`, or the name of that system alone. */
const isImportedFrom = (text: string): SQL =>
  text.includes(':') ? sql`documents.imported_from = ${text}` : sql`starts_with(documents.imported_from, ${`${text}:`})`;

const isOfOwner = (text: string): SQL => sql`exists (select from users where users.id = document_search.owner_id
  and (lower(users.username) = lower(${text}) ${isId(text) ? sql`or users.id = ${text}::uuid` : sql``}))`;

/** A time, or the whole of a day. */
const isCreatedAt = (text: string): SQL =>
  sql`document_search.created_at >= ${notBefore(text).toISOString()}::timestamptz and document_search.created_at < ${firstAfter(text).toISOString()}::timestamptz`;

const METADATA = 'metadata.';

/** Whether a row of document_search is of a document for which the term holds. */
const conditionOf = (term: ConditionTerm): SQL => {
  if (isFieldTerm(term)) return fieldTermCondition(term);
  return term.compare === 'missing' || term.compare === 'range' ? valueCondition(term) : (namedCondition(term) ?? textCondition(term));
};

const textCondition = ({ field, compare, text }: TextTerm): SQL => {
  if (field === 'mime_type') return compares(sql`document_search.mime_type`, compare, text);
  if (field === 'title' || field === 'filename') return ofDocument(comparesIndexed(sql`documents.${sql.identifier(field)}`, compare, text));
  if (field === 'status') return ofDocument(compares(sql`documents.status`, compare, text));
  if (field === 'source') return ofDocument(isOfSource(compare, text));
  if (field === 'owner') return isOfOwner(text);
  if (field === 'imported_from') return ofDocument(isImportedFrom(text));
  if (field === 'created_at') return isCreatedAt(text);
  if (field === 'label')
    return sql`exists (select from document_labels join labels on labels.id = document_labels.label_id
      where document_labels.document_id = document_search.document_id and ${isNamed('labels', compare, text)})`;
  const key = field.slice(METADATA.length);
  return ofDocument(sql`documents.metadata ? ${key} and ${compares(sql`(documents.metadata ->> ${key}::text)`, compare, text)}`);
};

/** Added to the score for each condition of `should` that holds: a rare word of the text counts some ten times as much. */
const CONDITION_SCORE = 1;

/** Conditions have no words to be ranked by: a wanted one counts the same wherever it holds. */
export const conditionScore = (conditions: readonly ConditionTerm[]): SQL | undefined =>
  conditions.length === 0
    ? undefined
    : sql.join(
        conditions.map((condition) => sql`case when ${conditionOf(condition)} then ${sql.raw(String(CONDITION_SCORE))} else 0 end`),
        sql` + `,
      );
