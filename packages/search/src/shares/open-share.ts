import { AppError, rowId } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import { SEARCH_SORT_FIELDS, type SearchSortField } from '@sheaf/vocabulary/sort-fields';
import { asksForNothing, findMatching, parseQuery, searchByQuery } from '../index.ts';
import { getSavedSearch, questionOf, type SavedSearch } from '../saved-searches/index.ts';
import { findSharer, hashToken } from './change-shares.ts';

interface OpenRow extends Record<string, unknown> {
  readonly id: string;
  readonly created_by: string;
  readonly document_id: string | null;
  readonly saved_search_id: string | null;
  readonly password_hash: string | null;
  readonly allow_download: boolean;
  readonly expires_at: string;
}

/** A link that opens now, with what it leads to as its maker sees it now. */
export interface OpenShare {
  readonly id: string;
  readonly passwordHash: string | null;
  readonly allowDownload: boolean;
  readonly expiresAt: Date;
  /** May read and search, and nothing else. */
  readonly sharer: Principal;
  readonly subject:
    | { readonly kind: 'document'; readonly document: LabelledDocument }
    | { readonly kind: 'search'; readonly search: SavedSearch };
}

/** What `find` answers; undefined where it is not there for who asks. */
const ifVisible = async <T>(find: Promise<T>): Promise<T | undefined> => {
  try {
    return await find;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'NOT_FOUND') return undefined;
    throw error;
  }
};

const findSubject = async (db: Db, sharer: Principal, row: OpenRow): Promise<OpenShare['subject'] | undefined> => {
  if (row.document_id !== null) {
    const document = await ifVisible(getDocument(db, sharer, row.document_id));
    return document && { kind: 'document', document };
  }
  const search = await ifVisible(getSavedSearch(db, sharer, row.saved_search_id ?? ''));
  return search && { kind: 'search', search };
};

/**
 * The link of a token. Undefined, whatever the reason: it is unknown, expired or revoked, its maker's account is off, or they may not see or share
 * today what it leads to.
 */
export const openShare = async (db: Db, roles: ConfiguredRoles, token: string): Promise<OpenShare | undefined> => {
  const { rows } = await db.execute<OpenRow>(sql`
    select id, created_by, document_id, saved_search_id, password_hash, allow_download, expires_at
    from shares where token_hash = ${hashToken(token)} and revoked_at is null and expires_at > now()`);
  const row = rows[0];
  const sharer = row && (await findSharer(db, roles, row.created_by));
  const subject = sharer && (await findSubject(db, sharer, row));
  if (row === undefined || sharer === undefined || subject === undefined) return undefined;
  const { id, password_hash: passwordHash, allow_download: allowDownload, expires_at: expiresAt } = row;
  return { id, passwordHash, allowDownload, expiresAt: new Date(expiresAt), sharer, subject };
};

/** The document, if the link shows it; undefined otherwise. */
export const findSharedDocument = async (
  db: Db,
  { sharer, subject }: Pick<OpenShare, 'sharer' | 'subject'>,
  documentId: string,
): Promise<LabelledDocument | undefined> => {
  if (subject.kind === 'document') return subject.document.id === documentId ? subject.document : undefined;
  const question = questionOf(subject.search);
  if (question === undefined || !rowId.safeParse(documentId).success) return undefined;
  const [found] = await findMatching(db, sharer, { ...question, documentIds: [documentId], limit: 1 });
  return found === undefined ? undefined : ifVisible(getDocument(db, sharer, documentId));
};

export interface SharedResult {
  readonly id: string;
  readonly title: string;
  readonly documentDate: string | null;
  readonly createdAt: Date;
}

const isSearchField = (field: string): field is SearchSortField => (SEARCH_SORT_FIELDS as readonly string[]).includes(field);

/** One page of what a saved search finds for the maker of the link, in the order of the search. */
export const listSharedResults = async (
  db: Db,
  sharer: Principal,
  search: SavedSearch,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ results: SharedResult[]; total: number }> => {
  const question = questionOf(search);
  const query = parseQuery(search.query);
  if (question === undefined || (search.query.trim() !== '' && asksForNothing(query))) return { results: [], total: 0 };
  const sort = isSearchField(search.sort) ? [{ field: search.sort, order: search.order }] : [];
  try {
    const options = { query, filters: question.filters, page, perPage, highlight: false, fuzzy: false };
    const body = await searchByQuery(db, sharer, sort.length === 0 ? options : { ...options, sort });
    const results = body.results.map((hit) => ({
      id: hit.document_id,
      title: hit.title,
      documentDate: hit.document_date,
      createdAt: new Date(hit.created_at),
    }));
    return { results, total: body.total };
  } catch (error) {
    // a custom field of its filters is gone
    if (error instanceof AppError && error.kind === 'VALIDATION_ERROR') return { results: [], total: 0 };
    throw error;
  }
};
