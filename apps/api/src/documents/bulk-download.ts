import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { DownloadTickets } from '@sheaf/accounts';
import { recordAudit } from '@sheaf/accounts/users';
import { AppError, reasonedError } from '@sheaf/contract';
import { type BulkDownloadRequest, bulkDownloadRequest, downloadTicketBody } from '@sheaf/contract/documents';
import { getDocument, type SelectedDocument } from '@sheaf/documents';
import { englishMessage } from '@sheaf/messages/english';
import { documentKey, fileDamaged, type Storage } from '@sheaf/storage';
import { plainName, withinBytes } from '@sheaf/storage/folders';
import { MAX_ARCHIVE_BYTES, MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { makeZip } from 'client-zip';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { createRoute, type DeclaredAnswer, type RequestContext, type Route, streamRoute } from '../http/route.ts';
import type { DocumentFileServices, DocumentServices } from './document-services.ts';
import { pdfNameOf } from './download.ts';
import { findDocuments, readSelection } from './select-documents.ts';
import { contentDisposition, streamTo } from './stored-file.ts';

const PERMISSION = 'documents.read';
const LIMITS = `At most ${MAX_BULK_DOCUMENTS} documents with ${MAX_ARCHIVE_BYTES / 1024 ** 3} GiB in total`;
const ZIP_ANSWER: DeclaredAnswer = {
  status: 200,
  description: 'ZIP of the files, streamed. Files that are missing or damaged in storage are listed in a text file at its end',
  contentTypes: ['application/zip'],
  headers: { 'Content-Disposition': 'attachment, with the file name' },
};

const sizeOf = (documents: readonly SelectedDocument[]): number => documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** The documents of `chosen` in the order of their names. Throws where one archive may not hold them. */
const findChosen = async (
  { database }: DocumentServices,
  principal: Principal,
  chosen: BulkDownloadRequest,
): Promise<readonly SelectedDocument[]> => {
  const documents = await findDocuments(database.db, principal, PERMISSION, await readSelection(database.db, principal, chosen));
  if (sizeOf(documents) > MAX_ARCHIVE_BYTES)
    throw reasonedError('VALIDATION_ERROR', 'download_too_large', { max_bytes: MAX_ARCHIVE_BYTES });
  return documents.toSorted((a, b) => a.filename.localeCompare(b.filename, 'en', { numeric: true }) || (a.id < b.id ? -1 : 1));
};

/** Who has taken what: a download of many is how a library would be copied. */
const noteDownload = (
  { database }: DocumentServices,
  documents: readonly SelectedDocument[],
  principal: Principal,
  { address }: RequestContext,
): Promise<void> =>
  recordAudit(database.db, {
    actor: principal,
    address,
    action: 'documents.downloaded',
    outcome: 'success',
    details: { documents: documents.length, size_bytes: sizeOf(documents), document_ids: documents.slice(0, 100).map(({ id }) => id) },
  });

/** Making one may take minutes, and the archive waits for it. */
const PATIENCE_MS = 10 * 60_000;

/** The searchable PDF of a document; its original where there is none. */
const searchableFile = async (
  { database, searchablePdfs }: DocumentServices & DocumentFileServices,
  selected: SelectedDocument,
  principal: Principal,
  signal: AbortSignal,
): Promise<ArchivedFile> => {
  try {
    const document = await getDocument(database.db, principal, selected.id);
    const found = await searchablePdfs.find(document, principal, PATIENCE_MS, signal);
    return found.kind === 'file' ? { ...found.file, filename: pdfNameOf(document.filename) } : originalFile(selected);
  } catch (error) {
    if (error instanceof AppError && error.code === 'SEARCHABLE_PDF_NOT_AVAILABLE') return originalFile(selected);
    throw error;
  }
};

const sendArchive = async (
  services: DocumentServices & DocumentFileServices,
  documents: readonly SelectedDocument[],
  { as, principal }: { readonly as: BulkDownloadRequest['as']; readonly principal: Principal },
  { request, response }: { request: Request; response: Response },
): Promise<void> => {
  const ended = new AbortController();
  response.once('close', () => ended.abort());
  const fileOf = (document: SelectedDocument): ArchivedFile | Promise<ArchivedFile> =>
    as === 'searchable' ? searchableFile(services, document, principal, ended.signal) : originalFile(document);
  const archive = Readable.fromWeb(makeArchive(documents, services.storage, fileOf, ended.signal), { highWaterMark: 65_536 });
  archive.on('error', () => undefined); // told by whoever waits for it
  try {
    // the first file is open before the headers go out, so that a storage that is away is told as an error
    if (request.method !== 'HEAD') await once(archive, 'readable');
    if (response.headersSent) return; // it came too late and was answered with an error
    response.status(200).type('application/zip');
    const day = services.clock.now().toISOString().slice(0, 10);
    response.setHeader('Content-Disposition', contentDisposition('attachment', `documents-${day}.zip`));
    response.setHeader('Cache-Control', 'private, no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.method === 'HEAD') response.end();
    else await streamTo(response, archive);
  } finally {
    ended.abort();
    archive.destroy();
  }
};

export const bulkDownload = (services: DocumentServices & DocumentFileServices): Route =>
  streamRoute({
    method: 'post',
    path: '/api/documents/bulk-download',
    access: PERMISSION,
    summary: 'Download the files of documents as a ZIP',
    description: `Set either \`ids\` or \`filter\`. With \`as: searchable\`, documents are searchable PDFs where there is one, and original files otherwise. ${LIMITS}; otherwise the response is 400 with the reason \`too_many_documents\` or \`download_too_large\`. Browsers get a link instead: see \`POST /api/documents/bulk-download/tickets\`.`,
    content: { answers: [ZIP_ANSWER] },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    body: bulkDownloadRequest,
    stream: async ({ body, principal, context }, http) => {
      const documents = await findChosen(services, principal, body);
      await noteDownload(services, documents, principal, context);
      await sendArchive(services, documents, { as: body.as, principal }, http);
    },
  });

export const createDownloadTicket = (services: DocumentServices): Route =>
  createRoute({
    path: '/api/documents/bulk-download/tickets',
    access: PERMISSION,
    summary: 'Create a link to a ZIP of documents, for browsers',
    description: `Takes and checks the same body as \`POST /api/documents/bulk-download\`. The ticket is valid for 15 minutes, only for the user who created it.`,
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    body: bulkDownloadRequest,
    response: downloadTicketBody,
    handle: async ({ body, principal }) => {
      const documents = await findChosen(services, principal, body);
      const { ticket, expiresAt } = await new DownloadTickets(services.database.db, services.clock).create(principal.userId, body);
      return { ticket, expires_at: expiresAt.toISOString(), documents: documents.length, size_bytes: sizeOf(documents) };
    },
  });

export const downloadByTicket = (services: DocumentServices & DocumentFileServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/bulk-download/{ticket}',
    access: PERMISSION,
    summary: 'Download the ZIP of a ticket',
    description:
      'Documents and permissions are checked again. An unknown or expired ticket returns 404 with the reason `download_expired`.',
    content: { answers: [ZIP_ANSWER] },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: z.strictObject({ ticket: z.string().min(1).max(100) }),
    stream: async ({ params, principal, context }, http) => {
      const chosen = await new DownloadTickets(services.database.db, services.clock).find(params.ticket, principal.userId);
      if (chosen === undefined) throw reasonedError('NOT_FOUND', 'download_expired');
      const wanted = bulkDownloadRequest.parse(chosen);
      const documents = await findChosen(services, principal, wanted);
      if (http.request.method !== 'HEAD') await noteDownload(services, documents, principal, context);
      await sendArchive(services, documents, { as: wanted.as, principal }, http);
    },
  });

type ArchivedDocument = Pick<SelectedDocument, 'id' | 'filename' | 'sizeBytes' | 'sha256' | 'createdAt'>;

/** Of one document the file is gone or damaged. Anything else is wrong with the storage, so with all of them. */
const isOfOneFile = (error: unknown): boolean => error instanceof AppError && error.kind === 'NOT_FOUND';

/** What of a document goes into the archive. */
interface ArchivedFile {
  readonly key: string;
  readonly sizeBytes: number;
  readonly filename: string;
}

const originalFile = ({ sha256, sizeBytes, filename }: ArchivedDocument): ArchivedFile => ({
  key: documentKey(sha256),
  sizeBytes,
  filename,
});

const openWhole = async (storage: Storage, { key, sizeBytes }: ArchivedFile): Promise<Readable> => {
  const opened = await storage.open(key);
  if (opened.sizeBytes === sizeBytes) return opened.stream;
  opened.stream.destroy();
  throw fileDamaged(key);
};

const openFile = async (
  storage: Storage,
  find: () => ArchivedFile | Promise<ArchivedFile>,
): Promise<{ readonly filename: string; readonly stream: Readable }> => {
  const file = await find();
  return { filename: file.filename, stream: await openWhole(storage, file) };
};

/** The bytes of a file, up to where they are found damaged, which `note` is told. */
async function* bytesOf(stream: Readable, signal: AbortSignal, note: () => void): AsyncGenerator<Uint8Array> {
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) return;
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!isOfOneFile(error)) throw error;
    note();
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

const reportOn = (missing: readonly ArchivedDocument[]): string =>
  [englishMessage('archive.missing'), '', ...missing.map(({ id, filename }) => `${id}  ${filename.replaceAll(/\p{C}/gu, '')}`), ''].join(
    '\r\n',
  );

async function* entriesOf<Archived extends ArchivedDocument>(
  documents: readonly Archived[],
  storage: Storage,
  fileOf: (document: Archived) => ArchivedFile | Promise<ArchivedFile>,
  signal: AbortSignal,
) {
  const names = new ArchiveNames();
  const missing: ArchivedDocument[] = [];
  for (const document of documents) {
    if (signal.aborted) return;
    const opened = await openFile(storage, () => fileOf(document)).catch((error: unknown) => {
      if (!isOfOneFile(error)) throw error;
    });
    if (opened === undefined) missing.push(document);
    else
      yield {
        name: names.add(opened.filename),
        lastModified: document.createdAt,
        input: bytesOf(opened.stream, signal, () => missing.push(document)),
      };
  }
  if (missing.length > 0) yield { name: names.add(`${englishMessage('archive.missingName')}.txt`), input: reportOn(missing) };
}

/**
 * A ZIP of the files, made while it is read: one file is open at a time, and nothing is compressed, as nearly all files are already.
 * Files that are missing or damaged are named in a text file at its end. Reading stops when `signal` aborts. `fileOf` says which file of a
 * document it is.
 */
const makeArchive = <Archived extends ArchivedDocument>(
  documents: readonly Archived[],
  storage: Storage,
  fileOf: (document: Archived) => ArchivedFile | Promise<ArchivedFile>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> => makeZip(entriesOf(documents, storage, fileOf, signal)) as ReadableStream<Uint8Array>;

/** Of a name in an archive: what file systems bear, less a number. */
const MAX_NAME_BYTES = 240;

interface NameParts {
  readonly stem: string;
  /** With its dot. */
  readonly extension: string;
}

const partsOf = (filename: string): NameParts => {
  const plain = plainName(filename, '_');
  const [extension = ''] = /\.[^.\s]{1,16}$/.exec(plain) ?? [];
  const stem = plain
    .slice(0, plain.length - extension.length)
    .replace(/^[\s.]+/, '')
    .trimEnd();
  return { stem: withinBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(extension)) || 'document', extension };
};

/** Names of files in one archive: each is a plain name that no other one has, whatever the files are called. */
export class ArchiveNames {
  readonly #taken = new Set<string>();
  /** How often a name was wanted, so that the thousandth "scan.pdf" is not looked for from the beginning. */
  readonly #wanted = new Map<string, number>();

  /** `filename` made harmless, and told from those before it by a number. Systems that ignore case can unpack it. */
  add(filename: string): string {
    const { stem, extension } = partsOf(filename);
    const wanted = `${stem}${extension}`.toLowerCase();
    for (let number = (this.#wanted.get(wanted) ?? 0) + 1; ; number += 1) {
      const name = number === 1 ? `${stem}${extension}` : `${stem} (${number})${extension}`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#wanted.set(wanted, number);
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}
