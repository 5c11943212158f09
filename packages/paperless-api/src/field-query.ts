import { type SQL, sql } from '@sheaf/db/drizzle';
import { compareText, type TextComparison } from './compare-text.ts';

/** What a `custom_field_query` asks of the values of custom fields; `condition` is one on `documents.id` that packages/custom-fields has made. */
export type FieldQuery =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FieldQuery[] }
  | { readonly kind: 'not'; readonly of: FieldQuery }
  | { readonly kind: 'given'; readonly fieldId: string; readonly isGiven: boolean }
  | { readonly kind: 'text'; readonly fieldId: string; readonly compare: TextComparison; readonly text: string }
  | { readonly kind: 'compared'; readonly condition: SQL };

const hasValue = (fieldId: string, which: SQL): SQL =>
  sql`exists (select from document_fields where document_fields.document_id = documents.id and field_id = ${fieldId}::uuid and ${which})`;

/** Without anything to ask, `and` holds and `or` does not. */
const joined = (conditions: readonly SQL[], how: 'and' | 'or'): SQL => {
  if (conditions.length === 0) return how === 'and' ? sql`true` : sql`false`;
  return sql`(${sql.join([...conditions], how === 'and' ? sql` and ` : sql` or `)})`;
};

export const fieldQuerySql = (query: FieldQuery): SQL => {
  switch (query.kind) {
    case 'and':
    case 'or':
      return joined(query.of.map(fieldQuerySql), query.kind);
    case 'not':
      return sql`not ${fieldQuerySql(query.of)}`;
    case 'given':
      return query.isGiven ? hasValue(query.fieldId, sql`true`) : sql`not ${hasValue(query.fieldId, sql`true`)}`;
    case 'text':
      return hasValue(query.fieldId, compareText(sql`coalesce(text_value, '')`, query.compare, query.text));
    case 'compared':
      return query.condition;
  }
};
