import { listLabels } from '@sheaf/documents/labels';
import { CORRESPONDENTS, DOCUMENT_TYPES, listEntries } from '@sheaf/filing';
import { countLibrary } from '@sheaf/paperless';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { anyBody } from './bodies.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery } from './query.ts';
import { PAPERLESS_PREFIX, PAPERLESS_VERSION } from './requests.ts';

const ONE = { page: 1, perPage: 1, sort: 'name', order: 'asc' } as const;

export const statistics = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/statistics`,
    access: 'documents.read',
    summary: 'Count documents, tags, correspondents and document types',
    query: anyQuery,
    response: anyBody,
    handle: async ({ principal }) => {
      const [library, tags, correspondents, documentTypes] = await Promise.all([
        countLibrary(db, principal),
        listLabels(db, principal, ONE),
        listEntries(db, CORRESPONDENTS, principal, ONE),
        listEntries(db, DOCUMENT_TYPES, principal, ONE),
      ]);
      return {
        documents_total: library.documents,
        documents_inbox: null,
        inbox_tag: null,
        inbox_tags: null,
        document_file_type_counts: library.mimeTypes.map(({ mimeType, documents }) => ({
          mime_type: mimeType,
          mime_type_count: documents,
        })),
        character_count: 0,
        tag_count: tags.total,
        correspondent_count: correspondents.total,
        document_type_count: documentTypes.total,
        storage_path_count: 0,
        current_asn: library.currentAsn ?? 0,
      };
    },
  });

/** That the service answers at all; the health of its parts is told by our own endpoints. */
export const status = ({ database }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/status`,
    access: 'system.read',
    summary: 'Get whether the service and its database work',
    query: anyQuery,
    response: anyBody,
    handle: async () => {
      await database.db.execute('select 1');
      return {
        pngx_version: PAPERLESS_VERSION,
        server_os: 'Sheaf',
        install_type: 'sheaf',
        storage: { total: 0, available: 0 },
        database: {
          type: 'postgresql',
          url: '',
          status: 'OK',
          error: null,
          migration_status: { latest_migration: '', unapplied_migrations: [] },
        },
        tasks: { redis_url: '', redis_status: 'OK', redis_error: null, celery_status: 'OK' },
      };
    },
  });

export const remoteVersion = (): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/remote_version`,
    access: 'signed-in',
    summary: 'Says that there is no update: Sheaf does not ask',
    query: anyQuery,
    response: z.strictObject({ version: z.string(), update_available: z.literal(false) }),
    handle: async () => ({ version: `v${PAPERLESS_VERSION}`, update_available: false as const }),
  });

export const config = (): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/config`,
    access: 'signed-in',
    summary: 'Get the configuration that apps read',
    query: anyQuery,
    response: z.array(anyBody),
    handle: async () => [{ id: 1, app_title: 'Sheaf', app_logo: null, barcodes_enabled: null, barcode_asn_prefix: null }],
  });
