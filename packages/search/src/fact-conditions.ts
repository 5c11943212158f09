import { rowId } from '@sheaf/contract';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { NumberedField } from '@sheaf/vocabulary/document-fields';
import type { Comparison, ConditionTerm, CustomFieldTerm, FactField, MissingTerm, RangeTerm, TextTerm } from './query.ts';
import { type Range, readDayRange, readMomentRange, readNumberRange } from './ranges.ts';

export const ofDocument = (condition: SQL): SQL =>
  sql`exists (select from documents where documents.id = document_search.document_id and ${condition})`;

/** Never null, so that what has no value is not left out where the condition must not hold. */
export const isWithin = (
  value: SQL,
  type: 'date' | 'integer' | 'numeric' | 'timestamptz',
  { from, to, above, below }: Range<number | string>,
): SQL => {
  const cast = sql.raw(`::${type}`);
  const bounds = [
    ...(from === undefined ? [] : [sql`${value} >= ${from}${cast}`]),
    ...(to === undefined ? [] : [sql`${value} <= ${to}${cast}`]),
    ...(above === undefined ? [] : [sql`${value} > ${above}${cast}`]),
    ...(below === undefined ? [] : [sql`${value} < ${below}${cast}`]),
  ];
  return sql`(${sql.join([sql`${value} is not null`, ...bounds], sql` and `)})`;
};

const TABLES = { correspondent: sql`correspondents`, document_type: sql`document_types` } as const;
type NamedField = keyof typeof TABLES;

/** Whether a row of the table has this name, or another name that it is known by, or this id. */
const isNamed = (field: NamedField, { compare, text }: TextTerm): SQL => {
  const table = TABLES[field];
  return sql`(${compares(sql`${table}.name`, compare, text)}
    ${field === 'correspondent' ? sql`or exists (select from unnest(correspondents.aliases) as alias where ${compares(sql`alias`, compare, text)})` : sql``}
    ${isId(text) ? sql`or ${table}.id = ${text}::uuid` : sql``})`;
};

/** The column of a number has the name of its field. */
export const numberOf = (field: NumberedField['key']): SQL => sql`documents.${sql.identifier(field)}`;

const idOf = (field: NamedField): SQL => sql.raw(`${field}_id`);

const isInRange = ({ field, text }: RangeTerm): SQL => {
  switch (field) {
    case 'document_date':
      return isWithin(sql`document_search.document_date`, 'date', readDayRange(text) ?? {});
    case 'created': {
      const day = sql`coalesce(document_search.document_date, (document_search.created_at at time zone 'UTC')::date)`;
      return isWithin(day, 'date', readDayRange(text) ?? {});
    }
    case 'added':
      return isWithin(sql`document_search.created_at`, 'timestamptz', readMomentRange(text) ?? {});
    case 'modified':
      return ofDocument(isWithin(sql`documents.updated_at`, 'timestamptz', readMomentRange(text) ?? {}));
    default:
      return ofDocument(isWithin(numberOf(field), 'integer', readNumberRange(text) ?? {}));
  }
};

/** The same, as the indexes on documents answer it. */
const rangeByIndex = ({ field, text }: RangeTerm): SQL | undefined => {
  const days = readDayRange(text) ?? {};
  switch (field) {
    case 'document_date':
      return ofDocument(isWithin(sql`documents.document_date`, 'date', days));
    case 'created': {
      const day = sql`(documents.created_at at time zone 'UTC')::date`;
      return ofDocument(sql`(${isWithin(sql`documents.document_date`, 'date', days)}
        or documents.document_date is null and ${isWithin(day, 'date', days)})`);
    }
    case 'added':
      return ofDocument(isWithin(sql`documents.created_at`, 'timestamptz', readMomentRange(text) ?? {}));
    default:
      return undefined;
  }
};

const isMissing = (field: FactField): SQL => {
  switch (field) {
    case 'correspondent':
    case 'document_type':
      return sql`document_search.${idOf(field)} is null`;
    case 'document_date':
      return sql`document_search.document_date is null`;
    case 'imported_from':
      return ofDocument(sql`documents.imported_from is null`);
    default:
      return ofDocument(sql`${numberOf(field)} is null`);
  }
};

const isNamedField = (field: string): field is NamedField => Object.hasOwn(TABLES, field);

/** Whether a row of document_search is of a document whose value is in the range, or missing. */
export const valueCondition = (term: RangeTerm | MissingTerm): SQL =>
  term.compare === 'missing' ? isMissing(term.field) : isInRange(term);

/** Whether it is of a document with such a correspondent or type; undefined for a term that is about neither. */
export const namedCondition = (term: TextTerm): SQL | undefined => {
  const { field } = term;
  if (!isNamedField(field)) return undefined;
  const table = TABLES[field];
  return sql`exists (select from ${table} where ${table}.id = document_search.${idOf(field)} and ${isNamed(field, term)})`;
};

/**
 * The same, as the indexes on documents answer it: where no word is asked for, every entry would be read else. Undefined where these
 * have nothing to say, or where the condition itself asks them.
 */
export const factByIndex = (term: Exclude<ConditionTerm, CustomFieldTerm>): SQL | undefined => {
  if (term.compare === 'missing') return undefined;
  if (term.compare === 'range') return rangeByIndex(term);
  const { field } = term;
  if (!isNamedField(field)) return undefined;
  const table = TABLES[field];
  return ofDocument(sql`documents.${idOf(field)} in (select ${table}.id from ${table} where ${isNamed(field, term)})`);
};

/** `%`, `_` and the backslash stand for themselves. After sheaf_plain, as that makes such signs of others. */
const asPattern = (text: string): SQL => sql`regexp_replace(sheaf_plain(${text}), '([\\\\%_])', '\\\\\\1', 'g')`;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** `value` is SQL for a text. */
export const compares = (value: SQL, compare: Comparison, text: string): SQL => {
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
export const comparesIndexed = (value: SQL, compare: Comparison, text: string): SQL =>
  compare === 'equal'
    ? sql`sheaf_plain(${value}) like ${asPattern(text)} and ${compares(value, compare, text)}`
    : compares(value, compare, text);

export const isId = (text: string): boolean => rowId.safeParse(text).success;
