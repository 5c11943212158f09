import type { Suggestion } from '@sheaf/contract/search';
import { correspondentsFor, type Db, documentsFor, documentTypesFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { beginsWords, longestOf, plainWords } from './begin-words.ts';

/** One letter begins too many names to choose from. */
const MIN_CHARACTERS = 2;
/** So many names are tried for one that a document has. */
const MAX_TRIED = 200;
const MAX_OF_KIND = 3;

interface NameRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
}

interface NamedKind {
  readonly table: SQL;
  /** Whether a document has the row `known`. The name beside the id lets the index of the caller's own documents answer. */
  readonly isOfDocument: SQL;
  readonly allowedFor: (principal: Principal) => SQL;
  readonly toSuggestion: (row: NameRow) => Suggestion;
}

const CORRESPONDENTS: NamedKind = {
  table: sql`correspondents`,
  isOfDocument: sql`documents.correspondent_id = known.id and documents.correspondent_key = known.name_key`,
  allowedFor: (principal) => correspondentsFor(principal, 'labels.read'),
  toSuggestion: ({ id, name }) => ({ text: name, type: 'correspondent', correspondent_id: id }),
};

const DOCUMENT_TYPES: NamedKind = {
  table: sql`document_types`,
  isOfDocument: sql`documents.document_type_id = known.id and documents.document_type_key = known.name_key`,
  allowedFor: (principal) => documentTypesFor(principal, 'labels.read'),
  toSuggestion: ({ id, name }) => ({ text: name, type: 'document_type', document_type_id: id }),
};

/** The trigram index of the names finds those with such words; each is then looked for in the indexes of documents. */
const suggestOf = async (db: Db, principal: Principal, kind: NamedKind, words: readonly string[]): Promise<Suggestion[]> => {
  const { table, isOfDocument, allowedFor, toSuggestion } = kind;
  const plain = plainWords(sql`${table}.name`);
  const order = sql`is_beginning desc, name_key, id`;
  const { rows } = await db.execute<NameRow>(sql`
    select id, name from (
      select ${table}.id, ${table}.name, ${table}.name_key, ${plain} like sheaf_plain(${words[0]}) || '%' as is_beginning from ${table}
      where ${allowedFor(principal)} and ${beginsWords(plain, words)}
      order by ${order} limit ${MAX_TRIED}
    ) as known
    where exists (select from documents where ${isOfDocument} and ${documentsFor(principal, 'documents.read')})
    order by ${order} limit ${MAX_OF_KIND}`);
  return rows.map(toSuggestion);
};

/**
 * Correspondents and document types that `principal` may see, of documents that they may read, whose names have all the words, the last
 * of which may go on. Names that begin as typed come first.
 */
export const suggestNames = async (db: Db, principal: Principal, words: readonly string[]): Promise<Suggestion[]> => {
  if (Array.from(longestOf(words)).length < MIN_CHARACTERS) return [];
  const kinds = [CORRESPONDENTS, DOCUMENT_TYPES];
  return (await Promise.all(kinds.map((kind) => suggestOf(db, principal, kind, words)))).flat();
};
