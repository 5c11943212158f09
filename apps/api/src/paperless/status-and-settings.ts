import { storableJson } from '@sheaf/contract';
import { listLabels } from '@sheaf/documents/labels';
import { CORRESPONDENTS, DOCUMENT_TYPES, listEntries } from '@sheaf/filing';
import { codenamesOf, countLibrary, readUiSettings, refuseField, saveUiSettings } from '@sheaf/paperless';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { anyBody } from './present-documents.ts';
import { anyQuery } from './query.ts';
import { PAPERLESS_PREFIX, PAPERLESS_VERSION, type PaperlessServices, requestBody } from './requests.ts';
import { presentSelf } from './users.ts';

const DAY_MS = 86_400_000;
/** Of the settings of one user: those of the web client of Paperless take a few kilobytes. */
const MAX_SETTINGS_BYTES = 100_000;

type Settings = Readonly<Record<string, unknown>>;

/** What apps read and nobody has stored yet. */
const defaultsOf = (userNumber: number): Settings => ({
  language: '',
  documentListSize: 50,
  update_checking: { enabled: false, backend_setting: 'default' },
  document_editing: { remove_inbox_tags: false },
  permissions: {
    default_owner: userNumber,
    default_view_users: [],
    default_view_groups: [],
    default_edit_users: [],
    default_edit_groups: [],
  },
  saved_views: { dashboard_views_visible_ids: [], sidebar_views_visible_ids: [] },
});

/** What the service decides, whatever an app stores. */
const factsOf = (trashDays: number): Settings => ({
  version: PAPERLESS_VERSION,
  app_title: 'Sheaf',
  app_logo: null,
  auditlog_enabled: true,
  email_enabled: false,
  notes_enabled: true,
  trash_delay: trashDays,
});

const isObject = (value: unknown): value is Settings => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Groups of settings have their defaults where an app has stored some of them alone. */
const withDefaults = (defaults: Settings, stored: Settings): Settings => ({
  ...stored,
  ...Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      const own = Object.hasOwn(stored, name) ? stored[name] : undefined;
      if (isObject(value)) return [name, isObject(own) ? { ...value, ...own } : value];
      return [name, own ?? value];
    }),
  ),
});

const HEAD = { path: `${PAPERLESS_PREFIX}/ui_settings`, access: 'signed-in', query: anyQuery, response: anyBody } as const;

export const uiSettings = ({ database: { db }, retentionMs }: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'get',
    summary: 'Get who you are, what you may do, and settings',
    handle: async ({ principal }) => {
      const { id, username, first_name, last_name, is_staff, is_superuser, groups } = await presentSelf(db, principal);
      const stored = await readUiSettings(db, principal.userId);
      return {
        user: { id, username, first_name, last_name, is_staff, is_superuser, groups },
        settings: { ...withDefaults(defaultsOf(id), stored), ...factsOf(Math.round(retentionMs.current() / DAY_MS)) },
        permissions: codenamesOf(principal.permissions),
      };
    },
  });

export const changeUiSettings = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'post',
    summary: 'Store your settings of an app',
    body: requestBody({ settings: z.record(z.string().max(200), z.unknown()) }, ['user', 'permissions']),
    handle: async ({ body: { settings }, principal }) => {
      const content = storableJson(settings);
      if (Buffer.byteLength(JSON.stringify(content)) > MAX_SETTINGS_BYTES)
        throw refuseField('settings', `must not be longer than ${MAX_SETTINGS_BYTES} bytes`);
      await saveUiSettings(db, principal.userId, content);
      return { success: true };
    },
  });

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
