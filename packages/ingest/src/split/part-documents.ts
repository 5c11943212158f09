import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import { SPLIT_FROM } from '@sheaf/vocabulary/documents';
import { partFilename, partTitle } from '../filename.ts';
import type { SplitPart, StoredPart } from './store-parts.ts';

export const PART_MIME_TYPE = 'application/pdf';

/** A part that becomes a document, and which of them it is, from 1. */
export interface NewPart<P extends SplitPart> extends StoredPart<P> {
  readonly id: string;
  readonly place: number;
}

/** Rows of one insert: sixteen values each, and a statement takes 65,535. */
const INSERT_BATCH = 1_000;

/** Makes documents of parts, with the labels of the document that they were cut from. */
export const insertParts = async (tx: Db, document: Document, parts: readonly NewPart<SplitPart>[]): Promise<void> => {
  for (let at = 0; at < parts.length; at += INSERT_BATCH)
    await tx.insert(documents).values(parts.slice(at, at + INSERT_BATCH).map((part) => rowOf(document, part)));
  await tx.execute(sql`
    insert into document_labels (document_id, label_id)
    select part, label_id from unnest(${sql.param(parts.map(({ id }) => id))}::uuid[]) as part
    join document_labels on document_labels.document_id = ${document.id}`);
};

const rowOf = (document: Document, { id, place, part, sha256, sizeBytes, filePath }: NewPart<SplitPart>) => ({
  id,
  title: partTitle(document.title, place),
  filename: partFilename(document.filename, place),
  ownerId: document.ownerId,
  mimeType: PART_MIME_TYPE,
  sizeBytes,
  sha256,
  filePath,
  ocrEnabled: document.ocrEnabled,
  ocrLanguage: document.ocrLanguage,
  source: document.source,
  sourceId: document.sourceId,
  metadata: { [SPLIT_FROM]: { document_id: document.id, pages: [...part.pages] } },
});
