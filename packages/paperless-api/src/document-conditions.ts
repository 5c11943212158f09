import { type SQL, sql } from '@sheaf/db/drizzle';
import { compareText, type TextComparison } from './compare-text.ts';
import { type FieldQuery, fieldQuerySql } from './field-query.ts';

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte' | 'equal';
export type DateField = 'created' | 'added' | 'modified';
export type DatePart = 'year' | 'month' | 'day';
export type TextField =
  | 'title'
  | 'original_filename'
  | 'checksum'
  | 'mime_type'
  | 'correspondent'
  | 'document_type'
  | 'tag'
  | 'custom_fields';
/** What documents refer to; of tags and custom fields they can have several. */
export type ReferenceField = 'document' | 'tag' | 'correspondent' | 'document_type' | 'owner' | 'custom_field';

/** One condition on documents as a filter of the Paperless API states it, with our ids. */
export type DocumentCondition =
  | { readonly kind: 'never' }
  | { readonly kind: 'reference'; readonly field: ReferenceField; readonly match: 'all' | 'any' | 'none'; readonly ids: readonly string[] }
  | { readonly kind: 'given'; readonly field: ReferenceField | 'archive_number'; readonly isGiven: boolean }
  | { readonly kind: 'text'; readonly field: TextField; readonly compare: TextComparison; readonly text: string }
  | { readonly kind: 'day'; readonly field: DateField; readonly compare: Comparison; readonly day: string }
  | { readonly kind: 'moment'; readonly field: DateField; readonly compare: Comparison; readonly moment: Date }
  | { readonly kind: 'part'; readonly field: DateField; readonly part: DatePart; readonly value: number }
  | { readonly kind: 'archive_number'; readonly compare: Comparison; readonly value: number }
  | { readonly kind: 'fields'; readonly query: FieldQuery }
  | { readonly kind: 'either'; readonly of: readonly DocumentCondition[] };

const OPERATORS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=`, equal: sql`=` } as const satisfies Record<Comparison, SQL>;

/** Paperless knows a day of every document; where ours bears none, it is the day on which it came in. */
const CREATED = sql`coalesce(documents.document_date, (documents.created_at at time zone 'UTC')::date)`;

const MOMENTS = { added: sql`documents.created_at`, modified: sql`documents.updated_at` } as const;

const dayOf = (field: DateField): SQL => (field === 'created' ? CREATED : sql`(${MOMENTS[field]} at time zone 'UTC')::date`);

const uuids = (ids: readonly string[]): SQL => sql`${sql.param([...ids])}::uuid[]`;

const COLUMNS = {
  document: sql`documents.id`,
  correspondent: sql`documents.correspondent_id`,
  document_type: sql`documents.document_type_id`,
  owner: sql`documents.owner_id`,
} as const;

const JOINS = {
  tag: { table: sql`document_labels`, column: sql`label_id` },
  custom_field: { table: sql`document_fields`, column: sql`field_id` },
} as const;

/** That a document has a row in the table of its labels, or of its fields, of which `which` holds. */
const has = ({ table }: (typeof JOINS)['tag'], which: SQL): SQL =>
  sql`exists (select from ${table} where ${table}.document_id = documents.id and ${which})`;

const referenceSql = (field: ReferenceField, match: 'all' | 'any' | 'none', ids: readonly string[]): SQL => {
  if (field === 'tag' || field === 'custom_field') {
    const join = JOINS[field];
    if (match === 'all') return sql.join([sql`true`, ...ids.map((id) => has(join, sql`${join.column} = ${id}::uuid`))], sql` and `);
    const hasOne = has(join, sql`${join.column} = any(${uuids(ids)})`);
    return match === 'any' ? hasOne : sql`not ${hasOne}`;
  }
  const isOne = sql`${COLUMNS[field]} = any(${uuids(ids)})`;
  return match === 'none' ? sql`(${isOne}) is not true` : isOne;
};

const givenSql = (field: ReferenceField | 'archive_number', isGiven: boolean): SQL => {
  const condition =
    field === 'tag' || field === 'custom_field'
      ? has(JOINS[field], sql`true`)
      : sql`${field === 'archive_number' ? sql`documents.archive_number` : COLUMNS[field]} is not null`;
  return isGiven ? condition : sql`not ${condition}`;
};

const TEXTS = {
  title: sql`documents.title`,
  original_filename: sql`documents.filename`,
  checksum: sql`documents.sha256`,
  mime_type: sql`documents.mime_type`,
  correspondent: sql`coalesce(documents.correspondent_key, '')`,
  document_type: sql`coalesce(documents.document_type_key, '')`,
} as const;

const FIELD_TEXT = sql`coalesce(text_value, number_value::text, date_value::text, '')`;

const textSql = (field: TextField, compare: TextComparison, text: string): SQL => {
  if (field === 'custom_fields') return has(JOINS.custom_field, compareText(FIELD_TEXT, compare, text));
  if (field === 'tag')
    return sql`exists (select from document_labels join labels on labels.id = label_id
      where document_labels.document_id = documents.id and ${compareText(sql`labels.name`, compare, text)})`;
  return compareText(TEXTS[field], compare, text);
};

const toSql = (condition: DocumentCondition): SQL => {
  switch (condition.kind) {
    case 'never':
      return sql`false`;
    case 'reference':
      return referenceSql(condition.field, condition.match, condition.ids);
    case 'given':
      return givenSql(condition.field, condition.isGiven);
    case 'text':
      return textSql(condition.field, condition.compare, condition.text);
    case 'day':
      return sql`${dayOf(condition.field)} ${OPERATORS[condition.compare]} ${condition.day}::date`;
    case 'moment': {
      const { field, compare, moment } = condition;
      const value = field === 'created' ? sql`${CREATED}::timestamp at time zone 'UTC'` : MOMENTS[field];
      return sql`${value} ${OPERATORS[compare]} ${moment.toISOString()}::timestamptz`;
    }
    case 'part':
      return sql`date_part(${condition.part}::text, ${dayOf(condition.field)}) = ${condition.value}`;
    case 'archive_number':
      return sql`documents.archive_number ${OPERATORS[condition.compare]} ${condition.value}::bigint`;
    case 'fields':
      return fieldQuerySql(condition.query);
    case 'either':
      return sql`(false or ${sql.join(condition.of.map(toSql), sql` or `)})`;
  }
};

/** All of the conditions, on rows of `documents`; undefined where there are none. Which documents may be read is for others to add. */
export const documentConditions = (conditions: readonly DocumentCondition[]): SQL | undefined =>
  conditions.length === 0 ? undefined : sql`(${sql.join(conditions.map(toSql), sql` and `)})`;
