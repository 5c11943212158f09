import { setImmediate } from 'node:timers/promises';
import { recordAudit } from '@sheaf/accounts/users';
import { reasonedError } from '@sheaf/contract';
import {
  type ComparisonBody,
  comparisonBody,
  comparisonParams,
  documentBody,
  documentPageListQuery,
  documentPagesBody,
  documentPagesQuery,
  joinVersionRequest,
  type VersionBody,
  versionListQuery,
  versionParams,
  versionsBody,
} from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { deleteDocuments, getDocument, readWholeDocument } from '@sheaf/documents';
import { copyLabels } from '@sheaf/documents/labels';
import { getVersion, joinVersions, listVersionPages, listVersions, moveNotes, trimVersions, type Version } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { removeTrimmed } from '@sheaf/ingest';
import { indexDocument } from '@sheaf/search';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { diffArrays } from 'diff';
import { partOf } from '../../http/list-route.ts';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route, streamRoute } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { inlineQuery, sendDocumentFile } from '../download.ts';
import { answerPages, presentDocument } from '../present-documents.ts';
import { sendPreview } from '../preview-and-thumbnail.ts';
import { DOCUMENT_ACTIONS, findDocuments, takeDocuments } from '../select-documents.ts';
import { FILE_REQUEST_HEADERS, fileAnswers } from '../stored-file.ts';
import { lockForReplacement, replaceContent, restoreAndPresent, restoreFile, undoSplit } from './change-versions.ts';

/** What a document had as files, and how it gets another. */
export const versionRoutes = (services: DocumentServices): readonly Route[] => [
  replaceContent(services),
  versions(services),
  joinDocument(services),
  versionDownload(services),
  versionPreview(services),
  versionPages(services),
  compareVersions(services),
  restoreVersion(services),
  undoSplit(services),
];

const compareVersions = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/compare/{other}',
    access: 'documents.read',
    summary: `Compare the text of two versions by page, at most ${MAX_PAGES_PER_ANSWER} pages per response`,
    description:
      'Shows by word what has to be removed from the text of `version` and added to it to get that of `other`. Pages are compared with the page of the same number.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND' },
    params: comparisonParams,
    query: documentPagesQuery,
    response: comparisonBody,
    handle: async ({ params: { id, version, other }, query: { from, to = from + MAX_PAGES_PER_ANSWER - 1 }, principal }) => {
      const document = await getDocument(db, principal, id);
      const textsOf = async (number: number) => {
        const { pages, total } = await listVersionPages(db, await getVersion(db, document, number), { from, to });
        return { total, texts: new Map(pages.map(({ page, content }) => [page, content])) };
      };
      const [before, after] = await Promise.all([textsOf(version), textsOf(other)]);
      return { pages: await comparePages(before.texts, after.texts), total: Math.max(before.total, after.total) };
    },
  });

type ComparedPage = ComparisonBody['pages'][number];
type Part = ComparedPage['parts'][number];

/** Of both texts of a page together: splitting them into words takes a few milliseconds. */
const MAX_CHARACTERS = 200_000;
/** Words and spaces in which two texts may differ, and how long one page may hold up everything else. */
const LIMITS = { maxEditLength: 2_000, timeout: 20 } as const;
/** Of one answer, after which pages are no longer compared in detail. */
const MAX_TOTAL_MS = 1_000;

const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? [];

const whole = (before: string, after: string): Part[] =>
  [{ kind: 'removed', text: before } as const, { kind: 'added', text: after } as const].filter(({ text }) => text !== '');

/** The parts of two texts by word; undefined where they are too long or too different for that. */
const partsOf = (before: string, after: string): Part[] | undefined => {
  if (before.length + after.length > MAX_CHARACTERS) return undefined;
  return diffArrays(wordsOf(before), wordsOf(after), LIMITS)?.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }));
};

const comparePage = (page: number, before: string | undefined, after: string | undefined, isInTime: boolean): ComparedPage => {
  if (before === undefined) return { page, change: 'added', is_detailed: true, parts: whole('', after ?? '') };
  if (after === undefined) return { page, change: 'removed', is_detailed: true, parts: whole(before, '') };
  if (before === after) return { page, change: 'same', is_detailed: true, parts: [] };
  const parts = isInTime ? partsOf(before, after) : undefined;
  return { page, change: 'changed', is_detailed: parts !== undefined, parts: parts ?? whole(before, after) };
};

type Texts = ReadonlyMap<number, string>;

/** Compares texts page by page, leaving time for others in between: no page takes longer than a moment, nor all of them than a second. */
export const comparePages = async (before: Texts, after: Texts): Promise<ComparedPage[]> => {
  const startedMs = performance.now();
  const compared: ComparedPage[] = [];
  for (const page of [...new Set([...before.keys(), ...after.keys()])].toSorted((a, b) => a - b)) {
    compared.push(comparePage(page, before.get(page), after.get(page), performance.now() - startedMs < MAX_TOTAL_MS));
    await setImmediate();
  }
  return compared;
};

interface Wanted {
  readonly id: string;
  readonly version: number;
}

/** Returns the hashes of versions that are too many now. */
const restoreIn = async (
  tx: Db,
  { id, version }: Wanted,
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
  { maxAttempts, versionsKeep }: { readonly maxAttempts: number; readonly versionsKeep: number },
): Promise<string[]> => {
  const document = await lockForReplacement(tx, principal, id);
  const earlier = await getVersion(tx, document, version);
  if (earlier.isCurrent || earlier.sha256 === document.sha256) return [];
  await restoreFile(tx, document, earlier, maxAttempts);
  const { sha256, sizeBytes: size, filename, mimeType } = earlier;
  const changes = {
    version: document.version + 1,
    restored_version: version,
    filename,
    sha256,
    size,
    mime_type: mimeType,
    status: 'pending',
  };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, document.ownerId);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.version_restored',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { restored_version: version, version: document.version + 1, sha256, previous_sha256: document.sha256 },
  });
  return trimVersions(tx, id, versionsKeep);
};

const restoreVersion = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/versions/{version}/restore',
    access: 'documents.update',
    summary: 'Make an earlier version the newest one',
    description:
      'Adds a new version with the file and the text of the earlier one; nothing is recognized again. The current version changes nothing. If another document of the owner has this file by now, returns 409 with its ID.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: versionParams,
    response: documentBody,
    handle: ({ params, principal, context }) =>
      restoreAndPresent(services, principal, params.id, (tx) =>
        restoreIn(tx, params, principal, context, services.ingest.settings.current()),
      ),
  });

interface Pair {
  readonly id: string;
  readonly otherId: string;
}

const takePair = async (tx: Db, principal: Principal, { id, otherId }: Pair) => {
  if (id === otherId) throw reasonedError('VALIDATION_ERROR', 'merged_into_itself');
  const taken = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.replace, { ids: [id, otherId] });
  const [other] = await findDocuments(tx, principal, DOCUMENT_ACTIONS.delete.permission, { ids: [otherId] });
  const newer = taken.find((document) => document.id === id);
  if (newer === undefined || other === undefined) throw new Error('A document was taken that is not there');
  return { newer, other };
};

/** Returns the hashes of versions that are too many now. */
const joinIn = async (
  tx: Db,
  pair: Pair,
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
  versionsKeep: number,
): Promise<string[]> => {
  const { id, otherId } = pair;
  const { newer, other } = await takePair(tx, principal, pair);
  const version = await joinVersions(tx, id, otherId);
  const labels = await copyLabels(tx, otherId, id);
  const notesCount = await moveNotes(tx, otherId, id);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.versions_joined',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { document_id: otherId, title: other.title, owner_id: other.ownerId, sha256: other.sha256 },
  });
  await deleteDocuments(tx, [otherId]);
  await recordEvent(tx, { type: 'document_deleted', document_id: otherId }, other.ownerId);
  await indexDocument(tx, id);
  const changes = { version, joined_document_id: otherId, notes_count: notesCount, labels };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, newer.ownerId);
  return trimVersions(tx, id, versionsKeep);
};

const joinDocument = ({ database: { db }, storage, ingest: { settings } }: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/versions',
    access: 'documents.update',
    summary: 'Make another document an earlier version of this one',
    description:
      'The files of the other document become earlier versions, numbered by the time at which they were added; the file of this document stays the current one. Labels and notes of the other document are added to this one, and the other document no longer exists. Requires documents.update for both and documents.delete for the other one.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: joinVersionRequest,
    response: documentBody,
    handle: async ({ params: { id }, body: { document_id: otherId }, principal, context }) => {
      const trimmed = await db.transaction((tx) => joinIn(tx, { id, otherId }, principal, context, settings.current().versionsKeep));
      await removeTrimmed({ db, storage }, trimmed);
      const document = await readWholeDocument(db, principal, id);
      return presentDocument(db, principal, document, document.content);
    },
  });

const toVersionBody = (version: Version): VersionBody => ({
  version: version.version,
  created_at: version.createdAt.toISOString(),
  filename: version.filename,
  mime_type: version.mimeType,
  sha256: version.sha256,
  size: version.sizeBytes,
  page_count: version.pageCount,
  source: version.source,
  is_current: version.isCurrent,
});

const versions = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/versions',
    access: 'documents.read',
    summary: 'List the versions of a document, the newest first by default',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: versionListQuery,
    response: versionsBody,
    handle: async ({ params, query, principal }) => {
      const document = await getDocument(db, principal, params.id);
      return partOf('data', (await listVersions(db, document)).map(toVersionBody), query, (version, field) => version[field]);
    },
  });

const versionDownload = ({ database: { db }, storage }: DocumentServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/download',
    access: 'documents.read',
    summary: 'Download the file of a version; supports Range and If-None-Match',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: fileAnswers('SHA-256 of the file') },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: versionParams,
    query: inlineQuery,
    stream: async ({ params, query, principal }, http) => {
      const version = await getVersion(db, await getDocument(db, principal, params.id), params.version);
      await sendDocumentFile(storage, version, query, http);
    },
  });

const versionPreview = ({ database: { db }, storage }: DocumentServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/preview',
    access: 'documents.read',
    summary: 'Get the PDF preview of a version: the converted office document, or the PDF itself',
    description: 'Other types, and an office document that was replaced before it was processed, return 404.',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: fileAnswers('ETag of the preview', 'application/pdf') },
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      VERSION_NOT_FOUND: 'NOT_FOUND',
      PREVIEW_NOT_AVAILABLE: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
    },
    params: versionParams,
    stream: async ({ params, principal }, http) => {
      const document = await getDocument(db, principal, params.id);
      await sendPreview(storage, document, await getVersion(db, document, params.version), http);
    },
  });

const versionPages = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/pages',
    access: 'documents.read',
    summary: `Get the text of a version by page, at most ${MAX_PAGES_PER_ANSWER} pages per response`,
    description: 'A version that was replaced before it was processed has no pages.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND' },
    params: versionParams,
    query: documentPageListQuery,
    response: documentPagesBody,
    handle: async ({ params, query, principal }) => {
      const version = await getVersion(db, await getDocument(db, principal, params.id), params.version);
      return answerPages(query, (request) => listVersionPages(db, version, request));
    },
  });
