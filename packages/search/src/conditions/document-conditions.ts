import { firstAfter, notBefore } from '@sheaf/contract';
import type { DocumentCondition, SearchFilters } from '@sheaf/contract/search';
import { type Db, documentsFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { numberOf } from '../fact-conditions.ts';
import { advancedQuery, type Clause, type Query } from '../query.ts';
import { type SearchScope, searchScope } from '../search-scope.ts';
import { frequencyKey, readFrequencies } from '../term-frequencies.ts';
import { compareText, fieldQuerySql } from './field-query.ts';

type Of<K extends DocumentCondition['kind']> = Extract<DocumentCondition, { readonly kind: K }>;
export type DateField = Of<'day'>['field'];
export type Comparison = Of<'day'>['compare'];
export type TextField = Of<'text'>['field'];
/** What documents refer to; of tags and custom fields they can have several. */
export type ReferenceField = Of<'reference'>['field'];

/** Also one that holds where any of several does. */
export type AnyCondition = DocumentCondition | { readonly kind: 'either'; readonly of: readonly DocumentCondition[] };

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

const isReference = (field: Of<'given'>['field']): field is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, field);

const givenSql = (field: Of<'given'>['field'], isGiven: boolean): SQL => {
  const condition =
    field === 'tag' || field === 'custom_field'
      ? has(JOINS[field], sql`true`)
      : sql`${isReference(field) ? COLUMNS[field] : numberOf(field)} is not null`;
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

const FIELD_TEXT = sql`coalesce(text_value, number_value::text, date_value::text)`;

const textSql = ({ field, compare, text }: Of<'text'>): SQL => {
  if (field === 'custom_fields') return has(JOINS.custom_field, compareText(FIELD_TEXT, compare, text));
  if (field === 'tag')
    return sql`exists (select from document_labels join labels on labels.id = label_id
      where document_labels.document_id = documents.id and ${compareText(sql`labels.name`, compare, text)})`;
  return compareText(TEXTS[field], compare, text);
};

const momentSql = ({ field, compare, moment }: Of<'moment'>): SQL => {
  const value = field === 'created' ? sql`${CREATED}::timestamp at time zone 'UTC'` : MOMENTS[field];
  const from = sql`${notBefore(moment).toISOString()}::timestamptz`;
  const after = sql`${firstAfter(moment).toISOString()}::timestamptz`;
  switch (compare) {
    case 'gt':
      return sql`${value} >= ${after}`;
    case 'gte':
      return sql`${value} >= ${from}`;
    case 'lt':
      return sql`${value} < ${from}`;
    case 'lte':
      return sql`${value} < ${after}`;
    case 'equal':
      return sql`(${value} >= ${from} and ${value} < ${after})`;
  }
};

/** The documents that are like one that may be read, and that may be read themselves. */
const likeSql = async (db: Db, principal: Principal, id: string): Promise<SQL> => {
  const { rows } = await db.execute(
    sql`select from documents where documents.id = ${id}::uuid and ${documentsFor(principal, 'documents.read')}`,
  );
  const found = rows.length === 0 ? [] : await findMoreLike(db, principal, id, MAX_SEARCH_RESULTS);
  return referenceSql(
    'document',
    'any',
    found.map(({ documentId }) => documentId),
  );
};

const toSql = async (db: Db, principal: Principal, condition: AnyCondition): Promise<SQL> => {
  switch (condition.kind) {
    case 'never':
      return sql`false`;
    case 'reference':
      return referenceSql(condition.field, condition.match, condition.ids);
    case 'given':
      return givenSql(condition.field, condition.is_given);
    case 'text':
      return textSql(condition);
    case 'day':
      return sql`${dayOf(condition.field)} ${OPERATORS[condition.compare]} ${condition.day}::date`;
    case 'moment':
      return momentSql(condition);
    case 'part':
      return sql`date_part(${condition.part}::text, ${dayOf(condition.field)}) = ${condition.value}::bigint`;
    case 'fields':
      return fieldQuerySql(db, principal, condition.query);
    case 'either': {
      const of = await Promise.all(condition.of.map((each) => toSql(db, principal, each)));
      return sql`(false or ${sql.join(of, sql` or `)})`;
    }
    case 'like':
      return likeSql(db, principal, condition.id);
    case 'words':
      return sql`true`; // a clause of the query
    default:
      return sql`${numberOf(condition.kind)} ${OPERATORS[condition.compare]} ${condition.value}::bigint`;
  }
};

/** All of the conditions but those of words, on rows of `documents`; undefined where there are none. Which documents may be read is for others to add. */
export const documentConditions = async (db: Db, principal: Principal, conditions: readonly AnyCondition[]): Promise<SQL | undefined> => {
  const all: SQL[] = [];
  for (const condition of conditions) if (condition.kind !== 'words') all.push(await toSql(db, principal, condition));
  return all.length === 0 ? undefined : sql`(${sql.join(all, sql` and `)})`;
};

/** Both of two conditions, either of which may be missing. */
const both = (one: SQL | undefined, other: SQL | undefined): SQL | undefined =>
  one === undefined || other === undefined ? (one ?? other) : sql`${one} and ${other}`;

/** The conditions of a search on rows of `documents`; `fields` are those on custom fields. */
export const furtherConditions = async (
  db: Db,
  principal: Principal,
  { conditions = [] }: Pick<SearchFilters, 'conditions'>,
  fields: SQL | undefined,
): Promise<SQL | undefined> => both(fields, await documentConditions(db, principal, conditions));

/** The query with the conditions of words as clauses of it: one of the fields contains the text. */
export const withWords = (query: Query, conditions: readonly AnyCondition[] = []): Query => {
  const clauses = conditions.flatMap((condition) => (condition.kind === 'words' ? [containing(condition.fields, condition.text)] : []));
  if (clauses.length === 0) return query;
  // without `must`, one of `should` has to hold
  const isEither = query.must.length === 0 && query.should.length > 0;
  return { ...query, must: [...(isEither ? [query.should.flat()] : query.must), ...clauses], should: isEither ? [] : query.should };
};

const containing = (fields: Of<'words'>['fields'], value: string): Clause =>
  advancedQuery({ must: [], should: fields.map((field) => ({ field, type: 'contains', value })), must_not: [] }).should.flat();

/** Of a document, the words that it has most often: those that are characteristic of it are among them. */
const MAX_CANDIDATES = 200;
/** Words that are looked for. */
const MAX_WORDS = 20;
/** How often a word can count in one document. */
const MAX_COUNTED = 8;
/** Words in more documents, or in more than half of them, say little and cost much. */
const MAX_DOCUMENTS_OF_WORD = 5_000;

interface Candidate extends Record<string, unknown> {
  readonly lexeme: string;
  readonly count: number;
}

const readCandidates = async (db: Db, { visible }: SearchScope, documentId: string): Promise<Candidate[]> => {
  const { rows } = await db.execute<Candidate>(sql`
    select lexeme, least(cardinality(positions), ${MAX_COUNTED}::int) as count
    from document_search, unnest(document_search.words) where document_search.document_id = ${documentId}::uuid and ${visible} and char_length(lexeme) between 2 and 100
    order by cardinality(positions) desc, lexeme limit ${MAX_CANDIDATES}`);
  return rows;
};

const countDocuments = async (db: Db, { totals, deltas }: SearchScope): Promise<number> => {
  const { rows } = await db.execute<{ documents: number }>(sql`
    select (coalesce((select sum(documents) from ${totals}), 0) + coalesce((select sum(sign) from ${deltas}), 0))::float8 as documents`);
  return rows[0]?.documents ?? 0;
};

interface WeighedWord {
  readonly query: string;
  /** The rarer, the more. */
  readonly weight: number;
}

/** The most characteristic words of a document: often in it, in few others, but in some. */
const findWords = async (db: Db, scope: SearchScope, documentId: string): Promise<WeighedWord[]> => {
  const candidates = await readCandidates(db, scope, documentId);
  const lexemes = candidates.map(({ lexeme: text }) => ({ text, isPrefix: false }));
  const [frequencies, documents] = [await readFrequencies(db, scope, lexemes), await countDocuments(db, scope)];
  return candidates
    .flatMap(({ lexeme, count }) => {
      const query = frequencyKey({ text: lexeme, isPrefix: false });
      const having = frequencies.get(query) ?? 0;
      const weight = Math.log(1 + documents / Math.max(having, 1));
      const isCommon = having > Math.min(MAX_DOCUMENTS_OF_WORD, Math.max(2, documents / 2));
      return having < 2 || isCommon ? [] : [{ query, weight, rank: weight * Math.sqrt(count) }];
    })
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MAX_WORDS);
};

/** A document that has words of another one. */
export interface LikeDocument {
  readonly documentId: string;
  readonly score: number;
}

/**
 * The documents that `principal` may read and that have the most characteristic words of a document, the most alike first, at most `limit`; none where
 * it has no search entry, or may not be read. Scores compare documents of one answer only.
 */
export const findMoreLike = async (db: Db, principal: Principal, documentId: string, limit: number): Promise<LikeDocument[]> => {
  const scope = searchScope(principal);
  if (scope === undefined) return [];
  const words = await findWords(db, scope, documentId);
  if (words.length === 0) return [];
  const { rows } = await db.execute<{ id: string; score: number }>(sql`
    select document_search.document_id as id, sum(weight)::float8 as score
    from unnest(${sql.param(words.map(({ query }) => query))}::text[], ${sql.param(words.map(({ weight }) => weight))}::float8[]) as word (query, weight)
    join document_search on document_search.words @@ word.query::tsquery
    where ${scope.visible} and document_search.document_id <> ${documentId}::uuid
    group by document_search.document_id order by score desc, document_search.document_id limit ${limit}`);
  return rows.map(({ id, score }) => ({ documentId: id, score }));
};
