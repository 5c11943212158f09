import type { Db } from '@sheaf/db';
import { listDocuments } from '@sheaf/documents';
import { listLabels } from '@sheaf/documents/labels';
import { CORRESPONDENTS, DOCUMENT_TYPES, type FilingKind, listEntries } from '@sheaf/filing';
import { numbersOf, type PaperlessKind, refuseField } from '@sheaf/paperless';
import { documentConditions, suggest } from '@sheaf/search';
import { MAX_SUGGEST_CHARACTERS, MAX_SUGGESTIONS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { findHits } from './find-documents.ts';
import { anyBody, type PaperlessDocument, presentDocuments } from './present-documents.ts';
import { anyQuery, lastOf } from './query.ts';
import { PAPERLESS_PREFIX, type PaperlessServices } from './requests.ts';

/** Of each kind, as in Paperless. */
const MAX_FOUND = 3;
const MIN_CHARACTERS = 3;
const MAX_NAME_CHARACTERS = 200;

const findDocuments = async (db: Db, principal: Principal, q: string): Promise<PaperlessDocument[]> => {
  const hits = (await findHits(db, principal, { query: q }))?.slice(0, MAX_FOUND) ?? [];
  if (hits.length === 0) return [];
  const ids = hits.map(({ id }) => id);
  const further = await documentConditions(db, principal, [{ kind: 'reference', field: 'document', match: 'any', ids }]);
  const { rows } = await listDocuments(db, principal, { page: 1, perPage: MAX_FOUND, sort: 'created_at', order: 'desc', further });
  const found = new Map(rows.map((row) => [row.id, row]));
  return presentDocuments(
    db,
    principal,
    ids.flatMap((id) => found.get(id) ?? []),
    { fullPerms: false },
  );
};

const PAGE = { page: 1, perPage: MAX_FOUND, sort: 'name', order: 'asc' } as const;

const findLabels = async (db: Db, principal: Principal, q: string) => (await listLabels(db, principal, { ...PAGE, q })).rows;

const findEntries = async <D extends string>(db: Db, kind: FilingKind<D>, principal: Principal, q: string) =>
  (await listEntries(db, kind, principal, { ...PAGE, q })).rows;

const named = async (db: Db, kind: PaperlessKind, rows: readonly { readonly id: string; readonly name: string }[]) => {
  const numberOf = await numbersOf(
    db,
    rows.map(({ id }) => ({ kind, id })),
  );
  return rows.map(({ id, name }) => ({ id: numberOf(kind, id), name }));
};

const NONE_FOUND = {
  saved_views: [],
  storage_paths: [],
  users: [],
  groups: [],
  mail_rules: [],
  mail_accounts: [],
  workflows: [],
  custom_fields: [],
};

export const search = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/search`,
    access: 'search.query',
    summary: 'Search documents, tags, correspondents and document types',
    query: anyQuery,
    response: anyBody,
    handle: async ({ query, principal }) => {
      const q = lastOf(query, 'query')?.trim() ?? '';
      if (q.length < MIN_CHARACTERS) throw refuseField('query', `Query must be at least ${MIN_CHARACTERS} characters`);
      const name = q.slice(0, MAX_NAME_CHARACTERS);
      const mayReadNames = scopeOf(principal.permissions, 'labels.read') !== 'none';
      const [documents, tags, correspondents, documentTypes] = await Promise.all([
        findDocuments(db, principal, q),
        mayReadNames ? findLabels(db, principal, name) : [],
        mayReadNames ? findEntries(db, CORRESPONDENTS, principal, name) : [],
        mayReadNames ? findEntries(db, DOCUMENT_TYPES, principal, name) : [],
      ]);
      return {
        total: documents.length + tags.length + correspondents.length + documentTypes.length,
        documents,
        tags: await named(db, 'tag', tags),
        correspondents: await named(db, 'correspondent', correspondents),
        document_types: await named(db, 'document_type', documentTypes),
        ...NONE_FOUND,
      };
    },
  });

export const autocomplete = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/search/autocomplete`,
    access: 'search.query',
    summary: 'Get words that begin as typed',
    query: anyQuery,
    response: z.array(z.string()),
    handle: async ({ query, principal }) => {
      const term = lastOf(query, 'term');
      if (term === undefined) throw refuseField('term', 'Term required');
      const limit = Number(lastOf(query, 'limit') ?? MAX_SUGGESTIONS);
      if (!Number.isInteger(limit) || limit < 1) throw refuseField('limit', 'Invalid limit');
      const words = (await suggest(db, principal, term.slice(0, MAX_SUGGEST_CHARACTERS))).flatMap(({ text, type }) =>
        type === 'word' ? [text] : [],
      );
      return words.slice(0, limit);
    },
  });
