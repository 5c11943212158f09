import { type Db, runPrepared } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { notesText } from './notes-text.ts';
import { type PassageHit, passageJoin } from './passages.ts';
import type { CountsRow } from './search-sql.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A document of the page as it is shown. */
export interface HitRow extends PassageHit {
  readonly filename: string;
  readonly mime_type: string;
  readonly created_ms: number;
  readonly document_date: string | null;
  readonly correspondent: Named | null;
  readonly document_type: Named | null;
}

/** Names of what matches are counted by, in the order of lists. */
export interface Names {
  readonly labels: readonly Named[];
  readonly correspondents: readonly Named[];
  readonly document_types: readonly Named[];
}

export const NO_NAMES: Names = { labels: [], correspondents: [], document_types: [] };

export interface AskedHit {
  readonly document_id: string;
  readonly configuration: string;
  /** A tsquery of what is to be marked in its text; null for nothing. */
  readonly marks: string | null;
}

export interface DetailsRequest {
  readonly hits: readonly AskedHit[];
  readonly counts: CountsRow;
  readonly withText: boolean;
  readonly withNotes: boolean;
}

interface DetailsRow extends Names, Record<string, unknown> {
  readonly hits: readonly HitRow[];
}

const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];

/** With the copy of the name that stands in the document. */
const named = (field: 'correspondent' | 'document_type'): SQL => {
  const [id, name] = [sql.raw(`documents.${field}_id`), sql.raw(`documents.${field}_key`)];
  return sql`case when ${id} is not null then json_build_object('id', ${id}, 'name', ${name}) end`;
};

/** Of `table`, in the order of `key`. */
const namesOf = (table: 'labels' | 'correspondents' | 'document_types', key: 'name' | 'name_key', ids: readonly string[]): SQL => {
  const order = sql.raw(`${key}, id`);
  return sql`(select coalesce(json_agg(json_build_object('id', id, 'name', name) order by ${order}), '[]')
    from ${sql.raw(table)} where id = any(${sql.param(ids)}::uuid[])) as ${sql.raw(table)}`;
};

/**
 * What is shown of the hits, in their order, and the names of what is counted. A statement of its own because it is the same for all searches:
 * it is planned once a connection. A document that has gone since it was found is left out.
 */
export const readDetails = async (
  db: Db,
  { hits, counts, withText, withNotes }: DetailsRequest,
): Promise<{ hits: readonly HitRow[]; names: Names }> => {
  if (hits.length === 0 && counts.labels.length === 0 && counts.facts.length === 0) return { hits: [], names: NO_NAMES };
  const [row] = await runPrepared<DetailsRow>(db, {
    name: 'search_details',
    text: sql`
    select (select coalesce(json_agg(json_build_object('document_id', documents.id, 'configuration', hit.configuration, 'title', documents.title,
        'filename', documents.filename, 'mime_type', documents.mime_type, 'created_ms', floor(extract(epoch from documents.created_at) * 1000),
        'page', passage.page, 'text', passage.text,
        'notes', case when ${withNotes}::boolean and documents.notes_count > 0 then ${notesText(sql`documents.id`)} end,
        'document_date', documents.document_date, 'correspondent', ${named('correspondent')}, 'document_type', ${named('document_type')})
        order by hit.place), '[]')
      from unnest(${sql.param(hits.map((hit) => hit.document_id))}::uuid[], ${sql.param(hits.map((hit) => hit.configuration))}::text[],
        ${sql.param(hits.map((hit) => hit.marks))}::text[]) with ordinality as hit (document_id, configuration, marks, place)
      join documents on documents.id = hit.document_id ${passageJoin(withText)}) as hits,
      ${namesOf('labels', 'name', distinct(counts.labels.map(([id]) => id)))}, ${namesOf(
        'correspondents',
        'name_key',
        distinct(counts.facts.map(([, id]) => id)),
      )}, ${namesOf('document_types', 'name_key', distinct(counts.facts.map(([, , id]) => id)))}`,
  });
  if (row === undefined) throw new Error('a statement without a table has one row');
  return { hits: row.hits, names: row };
};
