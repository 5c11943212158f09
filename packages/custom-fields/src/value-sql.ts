import { type SQL, sql } from '@sheaf/db/drizzle';

/** The value of a row of `document_fields` as JSON, by the type of the row of `custom_fields` beside it. */
export const VALUE_JSON: SQL = sql`case custom_fields.type
  when 'number' then to_jsonb(document_fields.number_value)
  when 'integer' then to_jsonb(document_fields.number_value)
  when 'amount' then jsonb_build_object('amount', document_fields.number_value::text, 'currency', document_fields.currency)
  when 'date' then to_jsonb(to_char(document_fields.date_value, 'YYYY-MM-DD'))
  when 'boolean' then to_jsonb(document_fields.boolean_value)
  when 'document' then to_jsonb(document_fields.document_value)
  else to_jsonb(document_fields.text_value) end`;

/** The same for all who hear of the document: of a link only that there is one, as not everybody may know where it leads. */
export const EVENT_JSON: SQL = sql`case custom_fields.type when 'document' then 'true'::jsonb else ${VALUE_JSON} end`;
