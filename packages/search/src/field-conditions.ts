import { type SQL, sql } from '@sheaf/db/drizzle';
import { hasFieldValue } from '@sheaf/documents/custom-fields';
import { compares, isWithin, ofDocument } from './fact-conditions.ts';
import type { CustomFieldTerm } from './query.ts';
import { readDayRange, readDecimalRange } from './ranges.ts';
import { ANY, fieldNameOf } from './write-query.ts';

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

/** A value has one of these columns; the text is compared with each that it can be read for. A field without a value has none of them. */
const isValue = ({ compare, text }: CustomFieldTerm): SQL => {
  if (compare === 'given') return hasFieldValue(sql`value`);
  const hasWords = compares(sql`coalesce(value.text_value, '')`, 'words', text);
  if (compare === 'words') return hasWords;
  const numbers = readDecimalRange(text);
  const days = readDayRange(text);
  const flag = BOOLEANS.get(text.toLowerCase());
  const readings = [
    hasWords,
    ...(numbers === undefined ? [] : [isWithin(sql`value.number_value`, 'numeric', numbers)]),
    ...(days === undefined ? [] : [isWithin(sql`value.date_value`, 'date', days)]),
    ...(flag === undefined ? [] : [sql`coalesce(value.boolean_value = ${flag}, false)`]),
  ];
  return sql`(${sql.join(readings, sql` or `)})`;
};

/** The fields of that name; links are not asked for, as what may not be read must not be found by what leads to it. */
const isNamed = (term: CustomFieldTerm): SQL =>
  fieldNameOf(term) === ANY
    ? sql`custom_fields.type <> 'document'`
    : sql`lower(custom_fields.name) = lower(${fieldNameOf(term).normalize('NFC')}::text) and custom_fields.type <> 'document'`;

const valuesOf = (term: CustomFieldTerm, further: SQL): SQL => sql`select value.document_id
  from document_fields as value join custom_fields on custom_fields.id = value.field_id where ${isNamed(term)} and ${further}`;

/** Whether a row of document_search is of a document that has such a value of the field, or none where that is asked for. */
export const fieldTermCondition = (term: CustomFieldTerm): SQL => {
  const isOfRow = sql`value.document_id = document_search.document_id`;
  if (term.compare === 'missing')
    return sql`(exists (select from custom_fields where ${isNamed(term)}) and not exists (${valuesOf(term, sql`${isOfRow} and ${hasFieldValue(sql`value`)}`)}))`;
  return sql`exists (${valuesOf(term, sql`${isOfRow} and ${isValue(term)}`)})`;
};

/** The same, as the indexes on values answer it; undefined where these have nothing to say. */
export const fieldTermByIndex = (term: CustomFieldTerm): SQL | undefined =>
  term.compare === 'missing' ? undefined : ofDocument(sql`documents.id in (${valuesOf(term, isValue(term))})`);
