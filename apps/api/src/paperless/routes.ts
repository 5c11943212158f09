import { permissionNeeded } from '@sheaf/contract';
import { noteBody } from '@sheaf/contract/documents';
import { userBody } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import { getDocument, listNotes } from '@sheaf/documents';
import { findTrashed, type TrashedDocument } from '@sheaf/ingest/trash';
import { findByNumbers, numbersOf, refuseField } from '@sheaf/paperless';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { download as downloadOwn, sendDocumentFile } from '../documents/download.ts';
import { createNote, deleteNote } from '../documents/notes.ts';
import { preview as previewOwn, sendPreview, sendThumbnail, thumbnail as thumbnailOwn } from '../documents/preview-and-thumbnail.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { updateProfile } from '../users/update-user.ts';
import { bulkDownload, bulkEdit, bulkEditObjects } from './bulk-edit.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { history, metadata, nextNumber, suggestions } from './document-details.ts';
import { correspondentRoutes, documentTypeRoutes, pageOfEntries } from './entries.ts';
import { list as listDocuments, read, remove, update } from './one-document.ts';
import { anyBody, objectsOfNote, type PaperlessNote, paperlessNote, toPaperlessNote } from './present-documents.ts';
import { anyQuery, lastOf, notThere, numberParams, requireKnown, requireNumber } from './query.ts';
import { askRoute, PAPERLESS_PREFIX, type PaperlessServices, pageBody, passTo, requestBody } from './requests.ts';
import * as views from './saved-views.ts';
import { list as listViews, read as readView } from './saved-views.ts';
import { autocomplete, search } from './search.ts';
import { selectionData } from './selection-data.ts';
import * as links from './share-links.ts';
import { changeUiSettings, config, remoteVersion, statistics, status, uiSettings } from './status-and-settings.ts';
import * as tags from './tags.ts';
import { acknowledge, list as listTasks, read as readTask } from './tasks.ts';
import { change as changeTrash, list as listTrash } from './trash.ts';
import { postDocument } from './upload.ts';
import { createToken, presentSelf, revokeToken, user, users } from './users.ts';

const HEAD = { path: `${PAPERLESS_PREFIX}/documents/{id}/notes`, params: numberParams, query: anyQuery } as const;

const response = z.array(paperlessNote);

/** The notes of a document, the newest first as in Paperless. */
const readNotes = async (db: Db, principal: Principal, documentId: string): Promise<PaperlessNote[]> => {
  await getDocument(db, principal, documentId);
  const notes = (await listNotes(db, documentId)).toReversed().map(({ author = null, ...note }) => ({ ...note, documentId, author }));
  const numberOf = await numbersOf(db, notes.flatMap(objectsOfNote));
  return notes.map((note) => toPaperlessNote(note, numberOf));
};

const notes = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'get',
    access: 'documents.read',
    summary: 'List the notes of a document',
    response,
    handle: async ({ params, query, principal }) => {
      requireKnown(query, () => false);
      return readNotes(db, principal, await requireNumber(db, 'document', params));
    },
  });

const addNote = (services: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'post',
    access: 'documents.update',
    summary: 'Add a note; answers all notes of the document',
    body: requestBody({ note: z.string() }, paperlessNote),
    response,
    handle: async ({ params, body, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      await askRoute(createNote(services), noteBody, { params: { id }, body: { text: body.note }, principal, context });
      return readNotes(db, principal, id);
    },
  });

const dropNote = (services: PaperlessServices): Route =>
  jsonRoute({
    ...HEAD,
    method: 'delete',
    access: 'documents.update',
    summary: 'Delete the note of the parameter id; answers the notes that remain',
    response,
    handle: async ({ params, query, principal, context }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      const wanted = Number(lastOf(query, 'id'));
      const noteId = (await findByNumbers(db, 'note', [wanted])).get(wanted);
      if (noteId === undefined) throw notThere();
      await deleteNote(services, { documentId: id, noteId }, principal, context);
      return readNotes(db, principal, id);
    },
  });

const PATH = `${PAPERLESS_PREFIX}/profile`;

const readProfile = async (db: Db, principal: Principal) => {
  const { email, first_name, last_name } = await presentSelf(db, principal);
  return { email, first_name, last_name, auth_token: null, social_accounts: [], has_usable_password: true, is_mfa_enabled: false };
};

const profile = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'signed-in',
    summary: 'Get your name and address',
    query: anyQuery,
    response: anyBody,
    handle: ({ principal }) => readProfile(db, principal),
  });

const profileRequest = requestBody(
  {
    email: z.string().max(254).optional(),
    password: z.string().max(1_000).optional(),
    first_name: z.string().max(150).optional(),
    last_name: z.string().max(150).optional(),
  },
  ['email_confirm', 'password_confirm', 'auth_token', 'social_accounts', 'has_usable_password', 'is_mfa_enabled'],
);

/** What programs send for a password that stays as it is. */
const isMasked = (password: string): boolean => /^\**$/.test(password);

/** The one name that a user has here, of the two that Paperless has. */
const changeProfile = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'patch',
    path: PATH,
    access: 'session',
    carriesCredentials: true,
    summary: 'Change your name',
    query: anyQuery,
    body: profileRequest,
    response: anyBody,
    handle: async ({ body, principal, context }) => {
      const { db } = services.database;
      const before = await presentSelf(db, principal);
      // with a token alone nobody becomes the owner of an account
      if (body.email !== undefined && body.email.toLowerCase() !== before.email.toLowerCase())
        throw refuseField('email', 'is changed in the web client');
      if (body.password !== undefined && !isMasked(body.password)) throw refuseField('password', 'is changed in the web client');
      const { first_name: first = before.first_name, last_name: last = before.last_name } = body;
      const name = `${first.trim()} ${last.trim()}`.trim();
      if (name !== before.first_name)
        await askRoute(updateProfile(services)[0], userBody, { body: { display_name: name === '' ? null : name }, principal, context });
      return readProfile(db, principal);
    },
  });

/** One of the sizes that are stored, so that none is drawn for each request. */
const THUMBNAIL_SIDE = 400;

type Answer = 'thumb' | 'preview' | 'download';

const SUMMARIES = {
  thumb: 'Get a picture of the first page',
  preview: 'Get the PDF of a document, or the file where there is none',
  download: 'Download the original file',
} as const satisfies Record<Answer, string>;

const hasPdf = (mimeType: string): boolean => mimeType === 'application/pdf' || findKindByMimeType(mimeType)?.family === 'office';

/** The file of a document in the trash, for who may see it there: programs show what they restore or remove. */
const sendTrashed = async (
  name: Answer,
  services: PaperlessServices,
  trashed: TrashedDocument,
  caller: { readonly principal: Principal; readonly signal: AbortSignal },
  http: { readonly request: Request; readonly response: Response },
): Promise<void> => {
  const document = { ...trashed, status: 'completed' as const };
  const { storage } = services;
  if (name === 'thumb') await sendThumbnail(services, document, { page: 1, width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE }, caller, http);
  else if (name === 'preview' && hasPdf(trashed.mimeType)) await sendPreview(storage, document, document, http);
  else await sendDocumentFile(storage, document, { inline: name === 'preview' }, http);
};

const fileRoute = (name: Answer, services: PaperlessServices): Route =>
  streamRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/{id}/${name}`,
    access: 'documents.read',
    ...(name === 'thumb' ? { countsAs: 'picture' as const } : {}),
    summary: SUMMARIES[name],
    content: { answers: [{ status: 200, description: 'File content', contentTypes: ['*/*'] }] },
    params: numberParams,
    query: anyQuery,
    stream: async ({ params, principal, context }, http) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      const trashed = await findTrashed(db, principal, id);
      if (trashed !== undefined) return await sendTrashed(name, services, trashed, { principal, signal: context.signal }, http);
      const own = { params: { id }, principal, context };
      if (name === 'thumb') {
        await passTo(thumbnailOwn(services), { ...own, query: { width: String(THUMBNAIL_SIDE), height: String(THUMBNAIL_SIDE) } }, http);
        return;
      }
      const isPdf = name === 'preview' && hasPdf((await getDocument(db, principal, id)).mimeType);
      if (isPdf) await passTo(previewOwn(services), own, http);
      else await passTo(downloadOwn(services), { ...own, query: { inline: String(name === 'preview') } }, http);
    },
  });

const thumb = (services: PaperlessServices): Route => fileRoute('thumb', services);
const preview = (services: PaperlessServices): Route => fileRoute('preview', services);
const download = (services: PaperlessServices): Route => fileRoute('download', services);

/** What Sheaf has nothing of, or in another form: apps show an empty list instead of an error. */
const NAMES = ['storage_paths', 'groups', 'mail_accounts', 'mail_rules', 'workflows', 'workflow_triggers', 'workflow_actions'] as const;

const emptyList = (name: (typeof NAMES)[number]): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/${name}`,
    access: 'signed-in',
    summary: 'An empty list',
    query: anyQuery,
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
    response: z.record(z.string(), z.string()),
    handle: async ({ context: { headers, connection } }) => {
      const address = `${connection.isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}${PAPERLESS_PREFIX}`;
      return Object.fromEntries(lists.map((name) => [name, `${address}/${name}/`]));
    },
  });

const documentRoutes = (services: PaperlessServices): readonly Route[] =>
  [
    nextNumber,
    postDocument,
    bulkEdit,
    bulkDownload,
    selectionData,
    listDocuments,
    read,
    update,
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
  ].flatMap((route) => route(services));

const tagRoutes = (services: PaperlessServices): readonly Route[] =>
  [tags.list, tags.create, tags.read, tags.update, tags.remove].flatMap((route) => route(services));

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
    views.update,
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
  ].flatMap((route) => route(services)),
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
