import { firstAfter, notBefore, type PageQuery } from '@sheaf/contract';
import { type LedgerEntryBody, ledgerEntryBody, ledgerQuery } from '@sheaf/contract/imports';
import type { Database } from '@sheaf/db';
import type { LedgerEntry } from '@sheaf/db/schema';
import { cleanFilename, type LedgerFilter, listLedger, listLedgerAfter } from '@sheaf/ingest';
import type { z } from 'zod';
import { type Cursors, listRoute } from '../http/list-route.ts';
import type { Route } from '../http/route.ts';

interface LedgerServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

const toLedgerEntryBody = (row: LedgerEntry): LedgerEntryBody => ({
  id: row.id,
  route: row.route,
  path: row.path,
  filename: cleanFilename(row.path),
  size_bytes: row.sizeBytes,
  modified_at: row.modifiedAt?.toISOString() ?? null,
  sha256: row.sha256,
  state: row.state,
  reason: row.reason,
  reason_code: row.reasonCode,
  reason_details: row.reasonDetails ?? {},
  document_id: row.documentId,
  owner_id: row.ownerId,
  source_id: row.sourceId,
  moved_to: row.movedTo,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

const filterOf = (query: Omit<z.infer<typeof ledgerQuery>, keyof PageQuery>): LedgerFilter => ({
  sort: query.sort,
  order: query.order,
  state: query.state,
  route: query.route,
  documentId: query.document_id,
  q: query.q,
  from: query.date_from === undefined ? undefined : notBefore(query.date_from),
  before: query.date_to === undefined ? undefined : firstAfter(query.date_to),
});

const list = ({ database, cursors }: LedgerServices): Route =>
  listRoute({
    cursors,
    path: '/api/ingest',
    access: 'signed-in',
    summary: 'List the import log, last updated first',
    // Choice: whoever may look after the system may read the line of every file; what documents one may read has no say in it.
    description:
      'Users see entries of their own files; with the permission `system.read`, all entries, including those without an owner. An API key requires a scope with `documents.read`, `documents.create` or `system.read`.\n\n`state`: `waiting` is retried automatically; `ingested` was imported as `document_id`; `duplicate` is a duplicate of that document; `ignored` is skipped until the file changes; `failed` could not be stored and must be sent again. A watched file has one entry, which is updated; each upload has its own entry.',
    query: ledgerQuery,
    name: 'data',
    item: ledgerEntryBody,
    page: async ({ query, principal }) => {
      const { rows, total } = await listLedger(database.db, principal, {
        page: query.page,
        perPage: query.per_page,
        ...filterOf(query),
      });
      return { rows: rows.map(toLedgerEntryBody), total };
    },
    cut: async ({ query, principal }, part) => {
      const { rows, next } = await listLedgerAfter(database.db, principal, { ...filterOf(query), ...part });
      return { rows: rows.map(toLedgerEntryBody), next };
    },
  });

export const ingestRoutes = (services: LedgerServices): readonly Route[] => [list(services)];
