import { behindFeature } from '../http/feature.ts';
import type { Route } from '../http/route.ts';
import { bulkDownload, bulkEdit } from './bulk-edit.ts';
import { bulkEditObjects } from './bulk-edit-objects.ts';
import * as views from './change-views.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { history, metadata, nextAsn, suggestions } from './document-details.ts';
import { download, preview, thumb } from './document-files.ts';
import { emptyLists } from './empty-lists.ts';
import { correspondentRoutes, documentTypeRoutes } from './filing.ts';
import { list as listDocuments } from './list-documents.ts';
import { addNote, dropNote, notes } from './notes.ts';
import { patch, put, read, remove } from './one-document.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { changeProfile, profile } from './profile.ts';
import { PAPERLESS_PREFIX } from './requests.ts';
import { root } from './root.ts';
import { list as listViews, read as readView } from './saved-views.ts';
import { autocomplete, search } from './search.ts';
import { selectionData } from './selection-data.ts';
import * as links from './share-links.ts';
import { config, remoteVersion, statistics, status } from './status.ts';
import * as tags from './tags.ts';
import { list as listTasks, read as readTask } from './tasks.ts';
import { createToken, revokeToken } from './token.ts';
import { change as changeTrash, list as listTrash } from './trash.ts';
import { postDocument } from './upload.ts';
import { uiSettings, user, users } from './users.ts';

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
    profile,
    changeProfile,
    listTasks,
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
