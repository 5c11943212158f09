import { codedError, permissionNeeded, reasonedError } from '@sheaf/contract';
import { type DocumentBody, type PageEditRequest, type PageOperation, pageEditBody, pageEditRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { Document, DocumentFact } from '@sheaf/db/schema';
import { getDocument, type LabelledDocument, lockDocument, readWholeDocument } from '@sheaf/documents';
import { describePages, type PlacedPage, placePages } from '@sheaf/documents/versions';
import { holdSenders, moveFacts, readPlacedFacts } from '@sheaf/filing/facts';
import { type MadeParts, splitDocument } from '@sheaf/ingest/split';
import { indexDocument } from '@sheaf/search';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { CONTENT_EXCERPT_CHARACTERS, MAX_EDITED_PAGES } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Actor } from '../../http/authenticate.ts';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type Route } from '../../http/route.ts';
import type { DocumentFileServices, DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import type { DocumentSignatures } from '../searchable-pdfs.ts';
import { DOCUMENT_ACTIONS, findDocuments } from '../select-documents.ts';
import { type ArrangedPart, notEditable, type SourceDocuments } from './page-arranger.ts';
import { auditEdit, duplicateFile, lockEdited, movedPagesOf, type PageEdit, type RecordDeps, recordPageEdit } from './record-page-edit.ts';

export const editPages = (services: DocumentServices & DocumentFileServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/pages/edit',
    access: 'documents.update',
    mayTakeLong: true,
    summary: 'Rotate, delete, move, append and split pages',
    description: `The operations are applied in order and make one new version; the file before stays as an earlier version. Text, words and facts move with their pages, and nothing is recognized again. PDFs and pictures can be edited; a picture becomes a PDF. At most ${MAX_EDITED_PAGES} pages. \`append\` adds the pages of another document that the caller can read, and leaves that document as it is. A signed PDF returns 409 with the reason \`document_is_signed\` unless \`break_signature\` is true. \`split\` also requires documents.create; the new documents have the owner and the labels of this one, and a part that the owner has as a document already is that document. Operations that change nothing make no version.`,
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      DOCUMENT_IS_SIGNED: 'DUPLICATE_RESOURCE',
      DOCUMENT_NOT_PROCESSED: 'DUPLICATE_RESOURCE',
      PAGES_NOT_EDITABLE: 'DUPLICATE_RESOURCE',
      VERSION_CHANGED: 'DUPLICATE_RESOURCE',
    },
    params: idParams,
    body: pageEditRequest,
    response: pageEditBody,
    handle: async ({ params: { id }, body: request, principal, context }) => {
      const { db } = services.database;
      const by = { principal, address: context.address };
      const ids = await editDocumentPages(services, { id, request, by, signal: context.signal });
      const documents: DocumentBody[] = [];
      for (const one of ids) {
        const document = await readWholeDocument(db, principal, one);
        documents.push(await presentDocument(db, principal, document, document.content));
      }
      return request.operations.at(-1)?.op === 'split' ? { documents } : (documents[0] ?? { documents });
    },
  });

type Services = Pick<DocumentServices, 'database' | 'storage'> &
  Pick<DocumentFileServices, 'pageArranger' | 'documentSignatures'> & { readonly ingest: Pick<DocumentServices['ingest'], 'settings'> };

interface Order {
  readonly id: string;
  readonly request: PageEditRequest;
  readonly by: Actor;
  readonly signal: AbortSignal;
}

/**
 * Edits the pages of a document; operations that change nothing do nothing. Returns the ids of the documents that its pages are in now, in
 * their order: its own, unless they were split. Throws FORBIDDEN, and as `findEditableDocuments`, `planPages`, `requireUnsigned`,
 * `PageArranger.arrange`, `recordPageEdit` and `recordPageSplit` do.
 */
export const editDocumentPages = async (services: Services, { id, request, by, signal }: Order): Promise<readonly string[]> => {
  const { database, storage, ingest, pageArranger, documentSignatures } = services;
  const { db } = database;
  const { principal } = by;
  const { operations } = request;
  const documents = await findEditableDocuments(db, principal, id, request);
  const [edited] = documents;
  const lists = planPages(id, operations, new Map(documents.map((one) => [one.id, one.pageCount ?? 0])));
  const isSplit = lists.length > 1;
  if (isSplit && scopeOf(principal.permissions, 'documents.create') === 'none') throw permissionNeeded('documents.create');
  if (!isSplit && areUnchanged(id, edited.pageCount ?? 0, lists[0])) return [id];
  if (request.break_signature !== true) await requireUnsigned(edited, documentSignatures, principal, signal);
  const edit = { by, documents, operations };
  return pageArranger.arrange({ documents, lists, principal, signal }, async (parts) => {
    const deps = { db, storage, settings: ingest.settings.current() };
    const [first] = parts;
    if (isSplit || first === undefined) return recordPageSplit(deps, edit, parts);
    await recordPageEdit(deps, edit, first);
    return [id];
  });
};

const requireEditable = (document: LabelledDocument): void => {
  const { id, status, mimeType } = document;
  const family = findKindByMimeType(mimeType)?.family;
  if (family !== 'pdf' && family !== 'image') throw notEditable(document, 'unsupported');
  // text, words and number of its pages are known only then
  if (status !== 'completed') throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_NOT_PROCESSED', { document_id: id, status });
};

/** Throws VERSION_CHANGED unless the document has the version that is meant. */
const requireVersion = ({ id, version }: Pick<LabelledDocument, 'id' | 'version'>, meant: number | undefined): void => {
  if (meant !== undefined && meant !== version) throw codedError('DUPLICATE_RESOURCE', 'VERSION_CHANGED', { document_id: id, version });
};

/**
 * The documents of the request, which the caller may change and read. Throws DOCUMENT_NOT_FOUND and FORBIDDEN, VERSION_CHANGED,
 * PAGES_NOT_EDITABLE for one without pages that can be moved, and DOCUMENT_NOT_PROCESSED.
 */
const findEditableDocuments = async (
  db: Db,
  principal: Principal,
  id: string,
  { operations, version }: PageEditRequest,
): Promise<SourceDocuments> => {
  const document = await getDocument(db, principal, id);
  await findDocuments(db, principal, DOCUMENT_ACTIONS.replace.permission, { ids: [id] });
  requireVersion(document, version);
  requireEditable(document);
  const others: LabelledDocument[] = [];
  for (const otherId of appendedIds(id, operations)) {
    const other = await getDocument(db, principal, otherId);
    requireEditable(other);
    others.push(other);
  }
  return [document, ...others];
};

const appendedIds = (id: string, operations: PageEditRequest['operations']): string[] => {
  const ids = operations.flatMap((operation) => (operation.op === 'append' ? [operation.document_id] : []));
  return [...new Set(ids)].filter((otherId) => otherId !== id);
};

/**
 * Throws DOCUMENT_IS_SIGNED where the file has signatures, which no edited one could keep, and PAGES_NOT_EDITABLE where nobody can tell. The
 * file is looked into, as it may have been processed before signatures were looked for.
 */
const requireUnsigned = async (
  document: LabelledDocument,
  signatures: DocumentSignatures,
  principal: Principal,
  signal: AbortSignal,
): Promise<void> => {
  const found = await signatures.find(document, principal, signal);
  if (!found.ok) throw notEditable(document, found.problem);
  if (found.signatures.length > 0) throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_IS_SIGNED', { document_id: document.id });
};

/** A document as it was when it was locked. */
interface Locked {
  readonly document: Document;
  readonly facts: readonly DocumentFact[];
}

/** Senders before documents, as everyone locks them: a fact takes its correspondent along. */
const lockWithFacts = async (tx: Db, { by, documents }: PageEdit): Promise<Locked> => {
  const [{ id }] = documents;
  await holdSenders(tx, id, { facts: [], candidates: [] });
  const document = await lockEdited(tx, by.principal, documents);
  return { document, facts: await readPlacedFacts(tx, id) };
};

const finishParts = async (tx: Db, edit: PageEdit, { document, facts }: Locked, made: MadeParts<ArrangedPart>): Promise<void> => {
  const ids = made.documents.map(({ id }) => id);
  await describePages(tx, ids, CONTENT_EXCERPT_CHARACTERS);
  await moveFacts(tx, facts, movedPagesOf(document.id, made.documents));
  for (const id of ids) await indexDocument(tx, id);
  const { sha256 } = await lockDocument(tx, document.id);
  await auditEdit(tx, edit, document, { sha256, parts: ids });
};

/**
 * Makes documents of the parts that arranged pages were split into; nothing is recognised again. Returns the ids of the documents, in the order
 * of the parts; a part that the owner has already is that document. Throws as `lockEdited` does, and `duplicate_file` where that is so of all.
 */
const recordPageSplit = async (
  { db, storage, settings }: RecordDeps,
  edit: PageEdit,
  parts: readonly ArrangedPart[],
): Promise<string[]> => {
  const [{ sha256 }] = edit.documents;
  let locked: Locked | undefined;
  const { outcome, documents, duplicates } = await splitDocument(
    { db, storage, settings },
    {
      sha256,
      parts,
      priority: 'high',
      lock: async (tx) => {
        locked = await lockWithFacts(tx, edit);
        return locked.document;
      },
      movePages: (tx, { from, to, part }) => placePages(tx, to, from, part.placed),
      onSplit: async (tx, made) => {
        if (locked !== undefined) await finishParts(tx, edit, locked, made);
        return [];
      },
    },
  );
  if (outcome === 'whole') throw duplicateFile(duplicates[0]?.id ?? null);
  const idOf = new Map([...documents, ...duplicates].map(({ id, part }) => [part, id]));
  return [...new Set(parts.flatMap((part) => idOf.get(part) ?? []))];
};

type Pages = readonly PlacedPage[];

/** What an operation has to know beside the pages. */
interface Scene {
  /** Which operation it is, from 0. */
  readonly operation: number;
  /** Pages of each document as it is stored. */
  readonly pageCounts: ReadonlyMap<string, number>;
}

/** Throws where one of `numbers` is not from 1 to `pageCount`. */
const requirePages = (numbers: readonly number[], pageCount: number, operation: number): void => {
  const page = numbers.find((number) => number > pageCount);
  if (page !== undefined) throw reasonedError('VALIDATION_ERROR', 'unknown_pages', { operation, page, page_count: pageCount });
};

const turned = (page: PlacedPage, by: 90 | 180 | 270): PlacedPage => ({
  ...page,
  rotateBy: ((page.rotateBy + by) % 360) as PlacedPage['rotateBy'],
});

const placedPages = (documentId: string, numbers: readonly number[]): Pages => numbers.map((page) => ({ documentId, page, rotateBy: 0 }));

/** The numbers from 1 to `count`. */
const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

const move = (pages: Pages, numbers: readonly number[], to: number, operation: number): Pages => {
  const moving = new Set(numbers);
  const left = pages.filter((_, at) => !moving.has(at + 1));
  requirePages([to], left.length + 1, operation);
  const moved = numbers.flatMap((number) => pages[number - 1] ?? []);
  return [...left.slice(0, to - 1), ...moved, ...left.slice(to - 1)];
};

const append = (pages: Pages, documentId: string, numbers: readonly number[] | undefined, { operation, pageCounts }: Scene): Pages => {
  const pageCount = pageCounts.get(documentId) ?? 0;
  requirePages(numbers ?? [], pageCount, operation);
  const added = numbers ?? numbersTo(pageCount);
  if (pages.length + added.length > MAX_EDITED_PAGES)
    throw reasonedError('VALIDATION_ERROR', 'too_many_pages', { limit: MAX_EDITED_PAGES });
  return [...pages, ...placedPages(documentId, added)];
};

/** The parts, each of which begins with one of the pages `firsts` but the first. */
const split = (pages: Pages, firsts: readonly number[], operation: number): Pages[] => {
  requirePages(firsts, pages.length, operation);
  const starts = [1, ...firsts.toSorted((a, b) => a - b)];
  const parts = starts.map((start, at) => pages.slice(start - 1, (starts[at + 1] ?? pages.length + 1) - 1));
  if (parts.some((part) => part.length === 0)) throw reasonedError('VALIDATION_ERROR', 'empty_part', { operation });
  return parts;
};

const applyOne = (pages: Pages, operation: Exclude<PageOperation, { op: 'split' }>, scene: Scene): Pages => {
  if (operation.op === 'append') return append(pages, operation.document_id, operation.pages, scene);
  requirePages(operation.pages, pages.length, scene.operation);
  if (operation.op === 'move') return move(pages, operation.pages, operation.to, scene.operation);
  const meant = new Set(operation.pages);
  if (operation.op === 'rotate') return pages.map((page, at) => (meant.has(at + 1) ? turned(page, operation.by) : page));
  const left = pages.filter((_, at) => !meant.has(at + 1));
  if (left.length === 0) throw reasonedError('VALIDATION_ERROR', 'no_pages_left', { operation: scene.operation });
  return left;
};

/**
 * The pages of the document `documentId` after the operations, and those of the new documents that a split makes of it. `pageCounts` has
 * the number of pages of it and of every document that is appended; appended pages are those that are stored, whatever operations came
 * before. Throws VALIDATION_ERROR for a page or a position that is not there, and where no page would be left.
 */
export const planPages = (
  documentId: string,
  operations: readonly PageOperation[],
  pageCounts: ReadonlyMap<string, number>,
): [Pages, ...Pages[]] => {
  const pageCount = pageCounts.get(documentId) ?? 0;
  if (pageCount > MAX_EDITED_PAGES) throw reasonedError('VALIDATION_ERROR', 'too_many_pages', { limit: MAX_EDITED_PAGES });
  let pages: Pages = placedPages(documentId, numbersTo(pageCount));
  for (const [at, operation] of operations.entries()) {
    if (operation.op !== 'split') {
      pages = applyOne(pages, operation, { operation: at, pageCounts });
      continue;
    }
    const [first = [], ...others] = split(pages, operation.pages, at);
    return [first, ...others];
  }
  return [pages];
};

/** Whether these are the pages of the document as they are. */
export const areUnchanged = (documentId: string, pageCount: number, pages: Pages): boolean =>
  pages.length === pageCount && pages.every((page, at) => page.documentId === documentId && page.page === at + 1 && page.rotateBy === 0);
