import type { FieldQuery, TextComparison } from '@sheaf/contract/search';
import { type Db, readingReach } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { type FieldTest, fieldCondition, hasFieldValue } from '@sheaf/documents/custom-fields';
import type { FieldType } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';

type Compared = (fieldId: string, test: FieldTest) => SQL;

/** That a document has the field, of which `which` holds. */
const hasField = (fieldId: string, which: SQL): SQL =>
  sql`exists (select from document_fields where document_fields.document_id = documents.id and field_id = ${fieldId}::uuid and ${which})`;

/** Without anything to ask, `and` holds and `or` does not. */
const joined = (conditions: readonly SQL[], how: 'and' | 'or'): SQL => {
  if (conditions.length === 0) return how === 'and' ? sql`true` : sql`false`;
  return sql`(${sql.join([...conditions], how === 'and' ? sql` and ` : sql` or `)})`;
};

const toSql = (query: FieldQuery, compared: Compared): SQL => {
  switch (query.kind) {
    case 'and':
    case 'or':
      return joined(
        query.of.map((each) => toSql(each, compared)),
        query.kind,
      );
    case 'not':
      return sql`not ${toSql(query.of, compared)}`;
    case 'given':
      return query.is_given ? hasField(query.field_id, sql`true`) : sql`not ${hasField(query.field_id, sql`true`)}`;
    case 'valued':
      return hasField(query.field_id, query.is_given ? hasFieldValue() : sql`not ${hasFieldValue()}`);
    case 'text':
      return hasField(query.field_id, compareText(sql`text_value`, query.compare, query.text));
    case 'compared':
      return compared(query.field_id, { operator: query.operator, value: query.value });
  }
};

const fieldsOf = (query: FieldQuery): string[] => {
  switch (query.kind) {
    case 'not':
      return fieldsOf(query.of);
    case 'and':
    case 'or':
      return query.of.flatMap(fieldsOf);
    default:
      return [query.field_id];
  }
};

/** The query as a condition on `documents.id`. A field that is gone, or no longer of the type, has no such value. */
export const fieldQuerySql = async (db: Db, principal: Principal, query: FieldQuery): Promise<SQL> => {
  const { rows } = await db.execute<{ id: string; type: FieldType }>(
    sql`select id, type from custom_fields where id = any(${sql.param([...new Set(fieldsOf(query))])}::uuid[])`,
  );
  const types = new Map(rows.map(({ id, type }) => [id, type]));
  const reach = readingReach(principal);
  return toSql(query, (id, test) => {
    const type = types.get(id);
    const made = type === undefined ? undefined : fieldCondition({ id, type, choices: [] }, test, reach);
    return made !== undefined && 'condition' in made ? made.condition : sql`false`;
  });
};

/** Compared without patterns, so that no character of the text means anything else. */
export const compareText = (column: SQL, compare: TextComparison, text: string): SQL => {
  switch (compare) {
    case 'icontains':
      return sql`position(lower(${text}) in lower(${column})) > 0`;
    case 'istartswith':
      return sql`starts_with(lower(${column}), lower(${text}))`;
    case 'iendswith':
      return sql`right(lower(${column}), length(lower(${text}))) = lower(${text})`;
    case 'iexact':
      return sql`lower(${column}) = lower(${text})`;
  }
};
