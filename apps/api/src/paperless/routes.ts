import { permissionNeeded } from '@sheaf/contract';
import { z } from 'zod';
import { behindFeature } from '../http/feature.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { bulkDownload, bulkEdit } from './bulk-edit.ts';
import { bulkEditObjects } from './bulk-edit-objects.ts';
import * as views from './change-views.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { metadata, nextAsn, suggestions } from './document-details.ts';
import { download, preview, thumb } from './document-files.ts';
import { pageOfEntries } from './entries.ts';
import { correspondentRoutes, documentTypeRoutes } from './filing.ts';
import { history } from './history.ts';
import { list as listDocuments } from './list-documents.ts';
import { addNote, dropNote, notes } from './notes.ts';
import { patch, put, read, remove } from './one-document.ts';
import { pageBody } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { changeProfile, profile } from './profile.ts';
import { anyQuery, requireKnown } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';
import { list as listViews, read as readView } from './saved-views.ts';
import { autocomplete, search } from './search.ts';
import { selectionData } from './selection-data.ts';
import * as links from './share-links.ts';
import { config, remoteVersion, statistics, status } from './status.ts';
import * as tags from './tags.ts';
import { acknowledge, list as listTasks, read as readTask } from './tasks.ts';
import { createToken, revokeToken } from './token.ts';
import { change as changeTrash, list as listTrash } from './trash.ts';
import { changeUiSettings, uiSettings } from './ui-settings.ts';
import { postDocument } from './upload.ts';
import { user, users } from './users.ts';

/** What Sheaf has nothing of, or in another form: apps show an empty list instead of an error. */
const NAMES = ['storage_paths', 'groups', 'mail_accounts', 'mail_rules', 'workflows', 'workflow_triggers', 'workflow_actions'] as const;

const emptyList = (name: (typeof NAMES)[number]): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/${name}`,
    access: 'signed-in',
    summary: 'An empty list',
    query: anyQuery,
    status: 200,
    response: pageBody(z.never()),
    handle: async ({ query, context }) => pageOfEntries<never>([], { path: `/${name}`, query, context }),
  });

/** Nobody may add to them, which apps show as such; without an answer they would show an error of their own. */
const refuseEntry = (name: (typeof NAMES)[number]): Route =>
  jsonRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/${name}`,
    access: 'signed-in',
    summary: 'Always refused',
    query: anyQuery,
    body: z.unknown(),
    status: 200,
    response: z.never(),
    handle: async () => {
      throw permissionNeeded(`add_${name.replace(/s$/, '').replaceAll('_', '')}`);
    },
  });

const logs = (): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/logs`,
    access: 'signed-in',
    summary: 'An empty list: logs are not read here',
    query: anyQuery,
    status: 200,
    response: z.array(z.never()),
    handle: async ({ query }) => {
      requireKnown(query, () => false);
      return [];
    },
  });

const emptyLists: readonly Route[] = [...NAMES.flatMap((name) => [emptyList(name), refuseEntry(name)]), logs()];

/** Programs ask for it to find out whether there is a Paperless at all, before anybody has signed in. */
const root = (lists: readonly string[]): Route =>
  jsonRoute({
    method: 'get',
    path: PAPERLESS_PREFIX,
    access: 'anyone',
    summary: 'List the resources',
    query: anyQuery,
    status: 200,
    response: z.record(z.string(), z.string()),
    handle: async ({ context: { headers, connection } }) => {
      const address = `${connection.isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}${PAPERLESS_PREFIX}`;
      return Object.fromEntries(lists.map((name) => [name, `${address}/${name}/`]));
    },
  });

const documentRoutes = (services: PaperlessServices): readonly Route[] =>
  [
    nextAsn,
    postDocument,
    bulkEdit,
    bulkDownload,
    selectionData,
    listDocuments,
    read,
    put,
    patch,
    remove,
    thumb,
    preview,
    download,
    metadata,
    suggestions,
    history,
    notes,
    addNote,
    dropNote,
  ].map((route) => route(services));

const tagRoutes = (services: PaperlessServices): readonly Route[] =>
  [tags.list, tags.create, tags.read, tags.put, tags.patch, tags.remove].map((route) => route(services));

/** Lists are empty while links are off: apps show no error then. */
const linkRoutes = (services: PaperlessServices): readonly Route[] => [
  links.list(services),
  links.listOfDocument(services),
  ...behindFeature(
    'FEATURE_SHARE_LINKS',
    services.config.shares.enabled,
    [links.create, links.read, links.remove, links.openLink].map((route) => route(services)),
  ),
];

const otherRoutes = (services: PaperlessServices): readonly Route[] => [
  createToken(services),
  revokeToken(services),
  ...behindFeature('FEATURE_LABELS', services.config.features.labels, tagRoutes(services)),
  ...correspondentRoutes(services),
  ...documentTypeRoutes(services),
  ...customFieldRoutes(services),
  ...linkRoutes(services),
  ...[
    listViews,
    readView,
    views.create,
    views.put,
    views.patch,
    views.remove,
    users,
    user,
    uiSettings,
    changeUiSettings,
    profile,
    changeProfile,
    listTasks,
    acknowledge,
    readTask,
    listTrash,
    changeTrash,
    search,
    autocomplete,
    statistics,
    status,
  ].map((route) => route(services)),
  bulkEditObjects(services),
  remoteVersion(),
  config(),
  ...emptyLists,
];

const nameOfList = ({ method, path }: Route): string[] => {
  const name = path.slice(PAPERLESS_PREFIX.length + 1);
  return method === 'get' && name !== '' && !name.includes('/') ? [name] : [];
};

/**
 * The routes of the Paperless-compatible API. They translate requests for our own routes and queries, and have no version of ours and no place
 * in our OpenAPI document: Paperless-ngx describes them.
 */
export const paperlessRoutes = (services: PaperlessServices): readonly Route[] => {
  const routes = [...documentRoutes(services), ...otherRoutes(services)];
  return [root(routes.flatMap(nameOfList).toSorted()), ...routes];
};
