import { hasSimilarFor, ownedBy } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documentSearch } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';

/**
 * The documents that a search is about, and the word statistics of these documents alone: whoever may read only their own gets answers
 * that do not depend on the documents of others.
 */
export interface SearchScope {
  /** Which of the two: the SQL below is the same for all scopes of a kind but for its parameters. */
  readonly kind: 'all' | 'own';
  /** Holds for rows of document_search that may be read. */
  readonly visible: SQL;
  /** Holds for those of them that have a near-duplicate among them. */
  readonly hasSimilar: SQL;
  /** Table `search_terms` (lexeme, documents): what is folded. */
  readonly terms: SQL;
  /** The same table, to look for words by their trigrams: those of all documents have an index for it, whoever owns them. */
  readonly dictionary: SQL;
  /** Table `search_totals` (configuration, documents, length). */
  readonly totals: SQL;
  /** Table `search_deltas` (id, sign, configuration, length, lexemes): what is still to be folded. */
  readonly deltas: SQL;
  /**
   * The order of a query with a limit whose rows are equally good. Within an owner they are the first ones in any case, because
   * the physical order depends on what others do; over all documents any rows do, and looking for the first ones would take longer.
   */
  readonly inOrder: (by: SQL) => SQL;
}

const IS_HERE = sql`not ${documentSearch.isTrashed}`;

const ALL: Omit<SearchScope, 'hasSimilar'> = {
  kind: 'all',
  visible: IS_HERE,
  terms: sql`search_terms`,
  dictionary: sql`search_terms`,
  totals: sql`search_totals`,
  deltas: sql`search_deltas`,
  inOrder: () => sql``,
};

const ofOwner = (userId: string): Omit<SearchScope, 'hasSimilar'> => {
  const isTheirs = sql`owner_id = ${userId}::uuid`;
  return {
    kind: 'own',
    visible: sql`(${IS_HERE} and ${ownedBy('own', userId, documentSearch.ownerId)})`,
    terms: sql`(select lexeme, documents from search_owner_terms where ${isTheirs}) as search_terms`,
    dictionary: sql`(select every.lexeme, own.documents from search_terms as every
      join search_owner_terms as own on own.lexeme = every.lexeme where own.${isTheirs}) as search_terms`,
    totals: sql`(select configuration, documents, length from search_owner_totals where ${isTheirs}) as search_totals`,
    deltas: sql`(select id, sign, configuration, length, lexemes from search_deltas where ${isTheirs}) as search_deltas`,
    inOrder: (by) => sql`order by ${by}`,
  };
};

/** What `principal` may search; undefined for nothing. */
export const searchScope = (principal: Principal): SearchScope | undefined => {
  const scope = scopeOf(principal.permissions, 'documents.read');
  if (scope === 'none') return undefined;
  return {
    ...(scope === 'all' ? ALL : ofOwner(principal.userId)),
    hasSimilar: hasSimilarFor(principal, sql`document_search.document_id`),
  };
};
