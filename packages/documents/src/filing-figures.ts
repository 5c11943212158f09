import { type Db, type Reach, within } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { MAX_COUNTED_TYPES, TOP_CORRESPONDENTS } from '@sheaf/vocabulary/limits';

type Counts = Readonly<Record<string, number>>;

/** Documents by what they are filed by; those without it count nowhere. */
export interface FilingFigures {
  /** By the year of the day that they bear. */
  readonly byYear: Counts;
  /** By name; the correspondents with the most documents. */
  readonly byCorrespondent: Counts;
  readonly byDocumentType: Counts;
}

interface FilingRow extends Record<string, unknown> {
  readonly years: Counts | null;
  readonly correspondents: Counts | null;
  readonly types: Counts | null;
}

/** The names that documents of `reach` have in a column, with the most documents first: as the sort indexes have them, without the table. */
const byName = (reach: Reach, column: SQL, limit: number): SQL => sql`
  (select json_object_agg(name, documents order by documents desc, name) from (
    select ${column} as name, count(*)::int as documents from ${documents}
    where ${column} is not null and ${within(reach, documents.ownerId)} group by 1 order by documents desc, name limit ${limit}
  ) as named)`;

/** What the documents within `reach` are filed by, of one moment. Reads indexes alone. */
export const readFilingFigures = async (db: Db, reach: Reach): Promise<FilingFigures> => {
  const { rows } = await db.execute<FilingRow>(sql`
    with days as (
      -- by day at first, so that it is added up in the order of the index
      select document_date, count(*) as documents from ${documents}
      where document_date is not null and ${within(reach, documents.ownerId)} group by document_date
    ), years as (select extract(year from document_date)::int as year, sum(documents)::int as documents from days group by year)
    select (select json_object_agg(year, documents order by year) from years) as years,
      ${byName(reach, sql`correspondent_key`, TOP_CORRESPONDENTS)} as correspondents,
      ${byName(reach, sql`document_type_key`, MAX_COUNTED_TYPES)} as types`);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returned no row');
  return { byYear: row.years ?? {}, byCorrespondent: row.correspondents ?? {}, byDocumentType: row.types ?? {} };
};
