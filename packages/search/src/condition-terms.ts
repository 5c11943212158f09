import { firstAfter, notBefore } from '@sheaf/contract';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { compares, comparesIndexed, isId } from './comparisons.ts';
import { namedCondition, ofDocument, valueCondition } from './fact-conditions.ts';
import { fieldTermCondition } from './field-conditions.ts';
import { isFieldTerm } from './field-terms.ts';
import type { Comparison, ConditionTerm, TextTerm } from './query.ts';

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
export const conditionOf = (term: ConditionTerm): SQL => {
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
