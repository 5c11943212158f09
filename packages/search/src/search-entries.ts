import { parseOcrLanguage } from '@sheaf/contract/queue';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { notesText } from './filter-sql.ts';

/** Documents compared in one transaction: their rows are locked so long, some 100 ms. */
const BATCH = 50;
/** Transactions at once: to make a vector anew keeps a core of the database busy. */
const AT_ONCE = 2;

/** Only documents that were read to their end: while one is read again, its pages run ahead of its entry, and may. */
const isSettled: SQL = sql`status in ('completed', 'failed')`;

export interface EntryDifference {
  readonly documentId: string;
  /** Without an entry; with another one than it would get today; an entry whose document does not exist. */
  readonly kind: 'missing' | 'different' | 'orphan';
}

interface IdRow extends Record<string, unknown> {
  readonly id: string;
}

const asArray = (ids: readonly string[]): SQL => sql`${sql.param(ids)}::uuid[]`;

/** Locks those of `ids` that are settled. Those that somebody else holds are left out, unless they may be waited for. */
const lockSettled = async (tx: Db, ids: readonly string[], mayWait: boolean): Promise<string[]> => {
  const { rows } = await tx.execute<IdRow>(sql`
    select id from documents where id = any(${asArray(ids)}) and ${isSettled} order by id
    for no key update ${mayWait ? sql.empty() : sql`skip locked`}`);
  return rows.map(({ id }) => id);
};

/**
 * Makes empty temporary twins of the tables of the index. Unqualified names mean them from here to the end of the transaction:
 * what is written then is neither kept nor counted, and leaves nothing behind in the real index.
 */
const shadowTables = async (tx: Db): Promise<SQL> => {
  const { rows } = await tx.execute<{ schema: string }>(sql`
    select relnamespace::regnamespace::text as schema from pg_class where oid = 'document_search'::regclass`);
  for (const table of ['document_search', 'document_search_parts']) {
    const name = sql.identifier(table);
    await tx.execute(sql`create temporary table ${name} (like ${name} including defaults including generated) on commit drop`);
  }
  // first by default, but an operator may have set another path, and then the real tables would be written
  await tx.execute(sql`select set_config('search_path', 'pg_temp, ' || current_setting('search_path'), true)`);
  await tx.execute(sql`create unique index on pg_temp.document_search (document_id)`);
  await tx.execute(sql`create index on pg_temp.document_search_parts (document_id)`);
  return sql.raw(rows[0]?.schema ?? 'public');
};

const partsOf = (schema: SQL): SQL =>
  sql`(select string_agg(part::text, ',' order by part::text) from ${schema}.document_search_parts as part where part.document_id = asked.id)`;

const entryOf = (schema: SQL): SQL => sql`(select entry::text from ${schema}.document_search as entry where entry.document_id = asked.id)`;

/** What the real tables have of `ids` against what was written into their twins, whatever their columns are. */
const compareWithTwins = async (tx: Db, schema: SQL, ids: readonly string[]): Promise<EntryDifference[]> => {
  const twins = sql`pg_temp`;
  const { rows } = await tx.execute<IdRow & { kind: 'missing' | 'different' }>(sql`
    select id, case when kept is null then 'missing' else 'different' end as kind
    from (
      select id, ${entryOf(schema)} as kept, ${entryOf(twins)} as right_entry, ${partsOf(schema)} as kept_parts, ${partsOf(twins)} as right_parts
      from unnest(${asArray(ids)}) as asked (id)
    ) as compared
    where kept is distinct from right_entry or kept_parts is distinct from right_parts order by id`);
  return rows.map(({ id, kind }) => ({ documentId: id, kind }));
};

/** Compares those of `ids` that can be locked, and says which could not be. */
const compareBatch = (db: Db, ids: readonly string[], mayWait: boolean): Promise<{ found: EntryDifference[]; left: string[] }> =>
  db.transaction(async (tx) => {
    const locked = await lockSettled(tx, ids, mayWait);
    const left = ids.filter((id) => !locked.includes(id));
    if (locked.length === 0) return { found: [], left };
    const schema = await shadowTables(tx);
    await indexDocuments(tx, locked);
    return { found: await compareWithTwins(tx, schema, locked), left };
  });

/** The differences of those of `ids` that nobody holds now. */
export const compareEntries = async (db: Db, ids: readonly string[]): Promise<EntryDifference[]> =>
  (await compareBatch(db, ids, false)).found;

const listSettled = async (db: Db, after: string | undefined): Promise<string[]> => {
  const { rows } = await db.execute<IdRow>(sql`
    select id from documents where ${isSettled} and ${after === undefined ? sql`true` : sql`id > ${after}`} order by id limit ${AT_ONCE * BATCH}`);
  return rows.map(({ id }) => id);
};

/** Documents that must have an entry: read, or failed for good. */
export const countSettledDocuments = async (db: Db): Promise<number> => {
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from documents where ${isSettled}`);
  return rows[0]?.count ?? 0;
};

/**
 * Compares the entry of every settled document with the one that indexDocument would write now, two batches at a time on connections of
 * their own, and yields what differs. Changes nothing. Safe beside running processes: never waits for a row while it holds another.
 */
export async function* findEntryDifferences(db: Db, onProgress: (documents: number) => void = () => {}): AsyncGenerator<EntryDifference> {
  let done = 0;
  for (let ids = await listSettled(db, undefined); ids.length > 0; ids = await listSettled(db, ids.at(-1))) {
    const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => ids.slice(i * BATCH, (i + 1) * BATCH));
    const compared = await Promise.all(batches.map((batch) => compareBatch(db, batch, false)));
    for (const { found } of compared) yield* found;
    for (const id of compared.flatMap(({ left }) => left)) yield* (await compareBatch(db, [id], true)).found;
    done += ids.length;
    onProgress(done);
  }
}

/**
 * Yields the documents that have entries, or parts of entries, and should not: those that do not exist, and parts without an
 * entry. A document that waits to be read may have an entry, as its title is found already.
 */
export const findOrphanEntries = async (db: Db): Promise<EntryDifference[]> => {
  const { rows } = await db.execute<IdRow>(sql`
    select document_id as id from document_search as entry
    where case when is_trashed then not exists (select from trashed_documents where id = entry.document_id)
      else not exists (select from documents where id = entry.document_id) end
    union
    select document_id from document_search_parts as part
    where not exists (select from document_search as entry where entry.document_id = part.document_id)
      and not exists (select from documents where id = part.document_id and ${isSettled})
    union
    select document_id from document_search_parts as part where not exists (select from documents where id = part.document_id)
      and not exists (select from trashed_documents where id = part.document_id)
    order by id`);
  return rows.map(({ id }) => ({ documentId: id, kind: 'orphan' }));
};

/** Mends one difference in a transaction of its own. A document that is being read again by now is left to its reader. */
export const repairEntry = (db: Db, { documentId, kind }: EntryDifference): Promise<void> =>
  db.transaction(async (tx) => {
    if (kind === 'orphan') await removeFromIndex(tx, documentId);
    else if ((await lockSettled(tx, [documentId], true)).length > 0) await indexDocument(tx, documentId);
  });

/** Text up to here becomes a vector in one go: with the worst words it stays under the 1,048,575 bytes a vector may have. */
const MAX_HEAD_CHARACTERS = 130_000;
const MAX_VECTOR_BYTES = 1_040_000;
/** Long enough for any printed page, short enough to be marked up while somebody waits. */
const PART_CHARACTERS = 20_000;
/** A part goes on so far into the next one, so that a phrase across their border stands in one of them. */
const OVERLAP_CHARACTERS = 160;
/** Positions end here: later words all get this one. */
const LAST_POSITION = 16_383;
const MAX_FIELD_CHARACTERS = 10_000;
const HYPHEN_AT_LINE_END = sql.raw(String.raw`E'[-\\u2010\\u00ad][ \\t\\r]*\\n'`);

interface TextFacts extends Record<string, unknown> {
  readonly pages: number;
  /** Bytes are known without unpacking the text; it has no more characters than that. */
  readonly bytes: number;
  readonly longest: number;
}

/** Locks the row, as two writers of one entry would write its parts twice. Undefined when the document is gone. */
const lockLanguage = async (tx: Db, documentId: string): Promise<string | undefined> => {
  const { rows } = await tx.execute<{ language: string }>(
    sql`select coalesce(language, ocr_language) as language from documents where id = ${documentId} for no key update`,
  );
  return rows[0]?.language;
};

/** Takes away the parts of the entry that there was. The document is locked. */
const clearParts = async (tx: Db, documentId: string): Promise<TextFacts> => {
  const { rows } = await tx.execute<TextFacts>(sql`
    with cleared as (delete from document_search_parts where document_id = ${documentId})
    select count(*)::int as pages, coalesce(sum(octet_length(content)), 0)::float8 as bytes,
      coalesce(max(octet_length(content)), 0)::int as longest
    from document_pages where document_id = ${documentId} and content <> ''`);
  return rows[0] ?? { pages: 0, bytes: 0, longest: 0 };
};

/** Text to vector, as every part of this package does it. */
const vectorOf = (configuration: string, text: SQL): SQL => sql`to_tsvector(${configuration}::regconfig, sheaf_words(${text}))`;

/** A text with the words that a hyphen parts at the ends of its lines, whole behind it. */
const withJoinedWords = (text: SQL): SQL => sql`(
  select case when t ~ ${HYPHEN_AT_LINE_END} then t || E'\\n' || sheaf_joined_words(t) else t end from (select ${text} as t) as given
)`;

const joinedText = (documentId: SQL | string): SQL =>
  sql`coalesce((select string_agg(content, E'\\n' order by page) from document_pages where document_id = ${documentId}), '')`;

/** Nothing at all for no notes: the entries of most documents are then as they always were. */
const notesVector = (configuration: string, documentId: SQL | string): SQL =>
  sql`case when d.notes_count = 0 then '' else setweight(${vectorOf(configuration, notesText(documentId))}, 'C') || '''|'':8'::tsvector end ||`;

/** Title, file name, notes and text, eight positions apart, so that no phrase reaches from one into the other. */
const headVector = (configuration: string, documentId: SQL | string): SQL => sql`ts_delete(
  setweight(${vectorOf(configuration, sql`left(d.title, ${MAX_FIELD_CHARACTERS}::int)`)}, 'A') || '''|'':8'::tsvector ||
  setweight(${vectorOf(configuration, sql`left(d.filename, ${MAX_FIELD_CHARACTERS}::int)`)}, 'B') || '''|'':8'::tsvector ||
  ${notesVector(configuration, documentId)}
  ${vectorOf(configuration, withJoinedWords(sql`left(${joinedText(documentId)}, ${MAX_HEAD_CHARACTERS}::int)`))}, '|')`;

/** Writes the entry of each of the documents `d` from `words (words, is_truncated)`, one row for each. */
const writeEntry = (tx: Db, which: SQL, configuration: string, words: SQL): Promise<unknown> =>
  tx.execute(sql`
    insert into document_search (document_id, owner_id, created_at, length, is_long, is_truncated, configuration, mime_type, source, language,
      document_date, correspondent_id, document_type_id, words)
    select d.id, d.owner_id, d.created_at, counted.length, counted.is_long, vector.is_truncated, ${configuration}, d.mime_type, d.source, d.language,
      d.document_date, d.correspondent_id, d.document_type_id, vector.words
    from documents d
    cross join lateral (${words}) as vector
    cross join lateral (
      select coalesce(sum(cardinality(positions)), 0)::int as length,
        coalesce(max(positions[cardinality(positions)]), 0) >= ${LAST_POSITION} as is_long
      from unnest(vector.words)
    ) as counted
    where ${which}
    on conflict (document_id) do update set owner_id = excluded.owner_id, created_at = excluded.created_at, length = excluded.length,
      is_long = excluded.is_long, is_truncated = excluded.is_truncated, configuration = excluded.configuration,
      mime_type = excluded.mime_type, source = excluded.source, language = excluded.language,
      document_date = excluded.document_date, correspondent_id = excluded.correspondent_id, document_type_id = excluded.document_type_id,
      words = excluded.words, is_trashed = false`);

/** One vector a page, long pages in several parts. */
const writeParts = (tx: Db, documentId: string, configuration: string): Promise<unknown> =>
  tx.execute(sql`
    insert into document_search_parts (document_id, part, page, start, is_border, words)
    select ${documentId}, row_number() over (order by page, start), page, start, false,
      ${vectorOf(configuration, withJoinedWords(sql`substr(content, start, ${PART_CHARACTERS + OVERLAP_CHARACTERS}::int)`))}
    from document_pages cross join lateral generate_series(1, char_length(content), ${PART_CHARACTERS}::int) as start
    where document_id = ${documentId}`);

/** The end of each page with the beginning of the next one. Words that are cut here are whole in the pages' own vectors. */
const writeBorders = (tx: Db, documentId: string, configuration: string): Promise<unknown> =>
  tx.execute(sql`
    insert into document_search_parts (document_id, part, page, start, is_border, words)
    select ${documentId}, -row_number() over (order by page), page, 1, true,
      ${vectorOf(configuration, sql`right(content, ${OVERLAP_CHARACTERS}::int) || E'\\n' || left(next, ${OVERLAP_CHARACTERS}::int)`)}
    from (
      select page, content, lead(content) over (order by page) as next from document_pages where document_id = ${documentId} and content <> ''
    ) as pages
    where next is not null`);

/**
 * The head with its positions, then the words that are only further on, all at the last position (where no phrase can hold),
 * in the order of their parts, as many as a vector can hold.
 */
const longVector = (configuration: string, documentId: string): SQL => sql`
  with head as materialized (select ${headVector(configuration, documentId)} as words),
  known as materialized (select unnest(tsvector_to_array(words)) as lexeme from head),
  further as (
    select lexeme, min(part) as part from document_search_parts, unnest(tsvector_to_array(words)) as lexeme
    where document_id = ${documentId} and not is_border and not exists (select from known where known.lexeme = lexeme.lexeme) group by lexeme
  ),
  measured as (select lexeme, sum(octet_length(lexeme) + 5) over (order by part, lexeme) as bytes from further),
  room as (select ${MAX_VECTOR_BYTES} - pg_column_size(words) as bytes from head),
  tail as (
    select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || ''':' || ${LAST_POSITION}, ' ')
      filter (where measured.bytes <= room.bytes) as words, coalesce(bool_or(measured.bytes > room.bytes), false) as is_truncated
    from measured, room
  )
  select head.words || coalesce(tail.words, '')::tsvector as words, tail.is_truncated from head, tail`;

/**
 * Writes or rewrites the search entry of a document from its title, its file name, its notes and its pages; none of it is needed for it to
 * be found by the rest. Of a text with more different words than a vector can hold the first ones are found. Does nothing for a
 * document that is gone. `lockedLanguage` is that of a document which the caller has locked.
 */
export const indexDocument = async (tx: Db, documentId: string, lockedLanguage?: string): Promise<void> => {
  const language = lockedLanguage ?? (await lockLanguage(tx, documentId));
  if (language === undefined) return;
  const configuration = textConfigurationOf(language);
  const facts = await clearParts(tx, documentId);
  if (facts.pages > 1 || facts.longest > PART_CHARACTERS) await writeParts(tx, documentId, configuration);
  const isShort = facts.bytes <= MAX_HEAD_CHARACTERS;
  if (!isShort) await writeBorders(tx, documentId, configuration);
  const words = isShort
    ? sql`select ${headVector(configuration, documentId)} as words, false as is_truncated offset 0`
    : longVector(configuration, documentId);
  await writeEntry(tx, sql`d.id = ${documentId}`, configuration, words);
};

interface ShortText extends TextFacts {
  readonly id: string;
  readonly language: string;
}

/** Documents, locked in the order of everyone, with what the way to index them depends on. */
const readManyFacts = async (tx: Db, documentIds: readonly string[]): Promise<ShortText[]> => {
  const ids = sql`any(${sql.param([...documentIds])}::uuid[])`;
  await tx.execute(sql`select from documents where id = ${ids} order by id for no key update`);
  const { rows } = await tx.execute<ShortText>(sql`
    select d.id, coalesce(d.language, d.ocr_language) as language, count(p.page)::int as pages,
      coalesce(sum(octet_length(p.content)), 0)::float8 as bytes, coalesce(max(octet_length(p.content)), 0)::int as longest
    from documents d left join document_pages p on p.document_id = d.id and p.content <> ''
    where d.id = ${ids} group by d.id order by d.id`);
  return rows;
};

/** Whether the whole text of the document is in one vector, and in no parts. */
const isWhole = ({ pages, bytes, longest }: TextFacts): boolean => pages <= 1 && longest <= PART_CHARACTERS && bytes <= MAX_HEAD_CHARACTERS;

/** The same for many documents, of which those with little text cost one statement together. */
export const indexDocuments = async (tx: Db, documentIds: readonly string[]): Promise<void> => {
  if (documentIds.length === 0) return;
  const facts = await readManyFacts(tx, documentIds);
  const whole = Map.groupBy(facts.filter(isWhole), ({ language }) => textConfigurationOf(language));
  for (const [configuration, some] of whole) {
    const ids = sql`any(${sql.param(some.map(({ id }) => id))}::uuid[])`;
    await tx.execute(sql`delete from document_search_parts where document_id = ${ids}`);
    await writeEntry(
      tx,
      sql`d.id = ${ids}`,
      configuration,
      sql`select ${headVector(configuration, sql`d.id`)} as words, false as is_truncated offset 0`,
    );
  }
  for (const one of facts) if (!isWhole(one)) await indexDocument(tx, one.id);
};

/** Takes a document out of the index. A deleted document needs no call: its entry goes with its id, and is left out while it is in the trash. */
export const removeFromIndex = async (tx: Db, documentId: string): Promise<void> => {
  await tx.execute(sql`delete from document_search_parts where document_id = ${documentId}`);
  await tx.execute(sql`delete from document_search where document_id = ${documentId}`);
};

/** Which stemmer reads what an OCR model has read. Codes without an entry are indexed without stemming. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ara: 'arabic',
  cat: 'catalan',
  dan: 'danish',
  dan_frak: 'danish',
  deu: 'german',
  deu_frak: 'german',
  deu_latf: 'german',
  frk: 'german',
  ell: 'greek',
  eng: 'english',
  eus: 'basque',
  fin: 'finnish',
  fra: 'french',
  gle: 'irish',
  hin: 'hindi',
  hun: 'hungarian',
  hye: 'armenian',
  ind: 'indonesian',
  ita: 'italian',
  ita_old: 'italian',
  lit: 'lithuanian',
  nep: 'nepali',
  nld: 'dutch',
  nor: 'norwegian',
  por: 'portuguese',
  ron: 'romanian',
  rus: 'russian',
  spa: 'spanish',
  spa_old: 'spanish',
  srp: 'serbian',
  srp_latn: 'serbian',
  swe: 'swedish',
  tam: 'tamil',
  tur: 'turkish',
  yid: 'yiddish',
};

/**
 * The text search configuration for a document in the language that its text was found to be in, or else the one it was read with.
 * Choice: a text of `auto` that is too short to tell is taken for English, the default; with several languages the first one that has a
 * stemmer is the document's, as it is the first the reader asks too.
 */
export const textConfigurationOf = (ocrLanguage: string): string => {
  const { isAuto, codes } = parseOcrLanguage(ocrLanguage);
  const language = (isAuto && codes.length === 0 ? ['eng'] : codes)
    .map((code) => (Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined))
    .find((known) => known !== undefined);
  return `sheaf_${language ?? 'simple'}`;
};
