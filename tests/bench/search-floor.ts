import type { Db } from '@sheaf/db';
import { search } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { sql } from 'drizzle-orm';
import { median } from './median.ts';

/** The same matches, total, facets and page without ranking, newest first: what PostgreSQL takes for it in plain SQL. */
const floorStatement = (word: string) => sql`
  with matched as materialized (
    select document_id, created_at, mime_type, source from document_search
    where words @@ (select string_agg(quote_literal(lexeme), '&')::tsquery from unnest(to_tsvector('sheaf_english', ${word})))
  )
  select (select count(*) from matched) as total,
    (select json_object_agg(mime_type, n) from (select mime_type, count(*) as n from matched group by 1) as facet) as mime_types,
    (select json_object_agg(source, n) from (select source, count(*) as n from matched group by 1) as facet) as sources,
    (select json_object_agg(year, n) from (
      select date_part('year', created_at at time zone 'UTC') as year, count(*) as n from matched group by 1) as facet) as years,
    (select json_object_agg(name, n) from (
      select label_id, count(*) as n from matched join document_labels using (document_id) group by 1) as facet
      join labels on labels.id = label_id) as labels,
    (select json_agg(json_build_object('id', id, 'title', title, 'filename', filename, 'mime_type', page.mime_type, 'created_at', page.created_at))
      from (select * from matched order by created_at desc limit 20) as page join documents on documents.id = document_id) as hits`;

const ROUNDS = 15;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

export interface FloorRatio {
  readonly searchMs: number;
  readonly floorMs: number;
}

/** Medians of searching for a word (ranked, without highlights) and of the floor, in turns. */
export const compareWithFloor = async (db: Db, principal: Principal, word: string): Promise<FloorRatio> => {
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await timed(() => search(db, principal, { q: word, filters: {}, page: 1, perPage: 20, highlight: false, fuzzy: false })));
    floor.push(await timed(() => db.execute(floorStatement(word))));
  }
  return { searchMs: median(ours) ?? 0, floorMs: median(floor) ?? 0 };
};
