import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Comparison, ConditionTerm } from './query.ts';

/** `%`, `_` and the backslash stand for themselves. After sheaf_plain, as that makes such signs of others. */
const asPattern = (text: string): SQL => sql`regexp_replace(sheaf_plain(${text}), '([\\\\%_])', '\\\\\\1', 'g')`;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** `value` is SQL for a text. */
const compares = (value: SQL, compare: Comparison, text: string): SQL => {
  switch (compare) {
    case 'equal':
      return sql`lower(${value}) = lower(${text})`;
    case 'contains':
      return sql`sheaf_plain(${value}) like '%' || ${asPattern(text)} || '%'`;
    case 'words': {
      const words = text.match(WORD) ?? [];
      return words.length === 0
        ? sql`false`
        : sql`(${sql.join(
            words.map((word) => compares(value, 'contains', word)),
            sql` and `,
          )})`;
    }
  }
};

/** As the index on sheaf_plain can answer it, which also has the equals among those alike but for accents. */
const comparesIndexed = (value: SQL, compare: Comparison, text: string): SQL =>
  compare === 'equal'
    ? sql`sheaf_plain(${value}) like ${asPattern(text)} and ${compares(value, compare, text)}`
    : compares(value, compare, text);

const ofDocument = (condition: SQL): SQL =>
  sql`exists (select from documents where documents.id = document_search.document_id and ${condition})`;

const METADATA = 'metadata.';

/** Whether a row of document_search is of a document for which the term holds. */
export const conditionOf = ({ field, compare, text }: ConditionTerm): SQL => {
  if (field === 'mime_type') return compares(sql`document_search.mime_type`, compare, text);
  if (field === 'title' || field === 'filename') return ofDocument(comparesIndexed(sql`documents.${sql.identifier(field)}`, compare, text));
  if (field === 'label')
    return sql`exists (select from document_labels join labels on labels.id = document_labels.label_id
      where document_labels.document_id = document_search.document_id and ${compares(sql`labels.name`, compare, text)})`;
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
