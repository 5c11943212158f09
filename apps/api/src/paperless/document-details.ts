import type { Db } from '@sheaf/db';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import { listFacts } from '@sheaf/filing/facts';
import { nextAsn, numbersOf } from '@sheaf/paperless';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, requireNumber } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

interface DocumentDetail<R> {
  /** The end of its path. */
  readonly name: string;
  readonly summary: string;
  readonly response: z.ZodType<R>;
  readonly show: (document: LabelledDocument) => Promise<R>;
}

/** GET of something of a document that the caller may read. */
const detailRoute = <R>(db: Db, { name, summary, response, show }: DocumentDetail<R>): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/{id}/${name}`,
    access: 'documents.read',
    summary,
    params: numberParams,
    query: anyQuery,
    response,
    handle: async ({ params, principal }) => show(await getDocument(db, principal, await requireNumber(db, 'document', params))),
  });

const metadataBody = z.strictObject({
  original_checksum: z.string(),
  original_size: z.int(),
  original_mime_type: z.string(),
  original_filename: z.string(),
  original_metadata: z.array(z.never()),
  media_filename: z.string(),
  has_archive_version: z.literal(false),
  archive_checksum: z.null(),
  archive_media_filename: z.null(),
  archive_size: z.null(),
  archive_metadata: z.null(),
  lang: z.string(),
});

export const metadata = ({ database: { db } }: PaperlessServices): Route =>
  detailRoute(db, {
    name: 'metadata',
    summary: 'Get what is known of the file of a document',
    response: metadataBody,
    show: async (document) => ({
      original_checksum: document.sha256,
      original_size: document.sizeBytes,
      original_mime_type: document.mimeType,
      original_filename: document.filename,
      original_metadata: [],
      media_filename: document.filename,
      has_archive_version: false as const,
      archive_checksum: null,
      archive_media_filename: null,
      archive_size: null,
      archive_metadata: null,
      lang: document.language ?? '',
    }),
  });

const suggestionsBody = z.strictObject({
  correspondents: z.array(z.int()),
  tags: z.array(z.int()),
  document_types: z.array(z.int()),
  storage_paths: z.array(z.int()),
  dates: z.array(z.iso.date()),
});

/** What was found in the text, whether or not the document is filed by it. */
export const suggestions = ({ database: { db } }: PaperlessServices): Route =>
  detailRoute(db, {
    name: 'suggestions',
    summary: 'Get senders and dates that a document states',
    response: suggestionsBody,
    show: async (document) => {
      const facts = await listFacts(db, document);
      const senders = new Set(
        facts.flatMap(({ kind, correspondentId }) => (kind === 'sender' && correspondentId !== null ? [correspondentId] : [])),
      );
      const numberOf = await numbersOf(
        db,
        [...senders].map((id) => ({ kind: 'correspondent', id })),
      );
      const dates = facts.flatMap(({ kind, value }) => (kind === 'document_date' ? [value] : []));
      return {
        correspondents: [...senders].map((id) => numberOf('correspondent', id)),
        tags: [],
        document_types: [],
        storage_paths: [],
        dates: [...new Set(dates)],
      };
    },
  });

export const nextNumber = ({ database }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/next_asn`,
    access: 'documents.update',
    summary: 'Get the number after the highest archive number in use',
    query: anyQuery,
    response: z.int(),
    handle: ({ principal }) => nextAsn(database.db, principal),
  });
