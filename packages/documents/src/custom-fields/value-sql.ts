import { type SQL, sql } from '@sheaf/db/drizzle';

/** The value of a row of `document_fields` as JSON, by the type of the row of `custom_fields` beside it; null where the field is empty. */
export const VALUE_JSON: SQL = sql`case custom_fields.type
  when 'number' then to_jsonb(document_fields.number_value)
  when 'integer' then to_jsonb(document_fields.number_value)
  when 'amount' then case when document_fields.number_value is not null then
    jsonb_build_object('amount', document_fields.number_value::text, 'currency', document_fields.currency) end
  when 'date' then to_jsonb(to_char(document_fields.date_value, 'YYYY-MM-DD'))
  when 'boolean' then to_jsonb(document_fields.boolean_value)
  when 'document' then to_jsonb(document_fields.document_value)
  else to_jsonb(document_fields.text_value) end`;

/** The same for all who hear of the document: of a link only that there is one, as not everybody may know where it leads. */
export const EVENT_JSON: SQL = sql`case
  when custom_fields.type <> 'document' then ${VALUE_JSON} when document_fields.document_value is not null then 'true'::jsonb end`;

/** Whether a row of `document_fields`, or of what is called so in the query, has a value. */
export const hasValue = (table: SQL = sql`document_fields`): SQL =>
  sql`num_nonnulls(${table}.text_value, ${table}.number_value, ${table}.date_value, ${table}.boolean_value, ${table}.document_value) > 0`;
