import { type AppError, codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, desc, eq, inArray, ne, sql } from '@sheaf/db/drizzle';
import { type Document, documents, documentVersionPages, documentVersions } from '@sheaf/db/schema';
import { listPages, type PageList, type PageListRequest, selectPages } from '../document-pages.ts';

/** A file that a document has, or had. */
export interface Version
  extends Pick<Document, 'filename' | 'mimeType' | 'sizeBytes' | 'sha256' | 'filePath' | 'pageCount' | 'source' | 'sourceId'> {
  readonly documentId: string;
  readonly version: number;
  /** When the file came. */
  readonly createdAt: Date;
  readonly isCurrent: boolean;
}

const toCurrent = (document: Document): Version => ({
  documentId: document.id,
  version: document.version,
  filename: document.filename,
  mimeType: document.mimeType,
  sizeBytes: document.sizeBytes,
  sha256: document.sha256,
  filePath: document.filePath,
  pageCount: document.pageCount,
  source: document.source,
  sourceId: document.sourceId,
  createdAt: document.versionCreatedAt ?? document.createdAt,
  isCurrent: true,
});

const selectEarlier = (db: Db) => {
  const { documentId, version, filename, mimeType, sizeBytes, sha256, filePath, pageCount, source, sourceId, createdAt } = documentVersions;
  return db
    .select({ documentId, version, filename, mimeType, sizeBytes, sha256, filePath, pageCount, source, sourceId, createdAt })
    .from(documentVersions);
};

/** All files of a document that the caller has read, the newest first. */
export const listVersions = async (db: Db, document: Document): Promise<Version[]> => {
  const earlier = await selectEarlier(db).where(eq(documentVersions.documentId, document.id)).orderBy(desc(documentVersions.version));
  return [toCurrent(document), ...earlier.map((row) => ({ ...row, isCurrent: false }))];
};

const versionNotFound = (documentId: string, version: number): AppError =>
  codedError('NOT_FOUND', 'VERSION_NOT_FOUND', { document_id: documentId, version });

/** One file of a document that the caller has read. Throws VERSION_NOT_FOUND. */
export const getVersion = async (db: Db, document: Document, version: number): Promise<Version> => {
  if (version === document.version) return toCurrent(document);
  const [row] = await selectEarlier(db).where(and(eq(documentVersions.documentId, document.id), eq(documentVersions.version, version)));
  if (row === undefined) throw versionNotFound(document.id, version);
  return { ...row, isCurrent: false };
};

/** The pages of a version that are there. */
export const listVersionPages = (db: Db, { documentId, version, isCurrent }: Version, request: PageListRequest): Promise<PageList> => {
  if (isCurrent) return listPages(db, documentId, request);
  const isOfVersion = and(eq(documentVersionPages.documentId, documentId), eq(documentVersionPages.version, version));
  return selectPages(db, documentVersionPages, isOfVersion, request);
};

/** Another document of this owner than `id` whose newest file has these bytes. */
export const findOtherByHash = async (db: Db, ownerId: string, sha256: string, id: string): Promise<string | undefined> => {
  const [row] = await db
    .select({ id: documents.id })
    .from(documents)
    .where(and(eq(documents.ownerId, ownerId), eq(documents.sha256, sha256), ne(documents.id, id)));
  return row?.id;
};

/** The document among `ids` of which these bytes are an earlier version. */
export const findByEarlierHash = async (db: Db, ids: readonly string[], sha256: string): Promise<Document | undefined> => {
  if (ids.length === 0) return undefined;
  const [row] = await db
    .select()
    .from(documents)
    .where(
      and(
        inArray(documents.id, [...ids]),
        sql`exists (select from ${documentVersions} where ${documentVersions.documentId} = ${documents.id} and ${documentVersions.sha256} = ${sha256})`,
      ),
    )
    .orderBy(documents.id)
    .limit(1);
  return row;
};
