import type { Route } from '../http/route.ts';
import { archiveNumber } from './archive-numbers.ts';
import { bulkActions } from './bulk-actions.ts';
import { bulkDownload, createDownloadTicket, downloadByTicket } from './bulk-download.ts';
import { bulkUpload } from './bulk-upload.ts';
import type { DocumentFileServices, DocumentServices } from './document-services.ts';
import { download } from './download.ts';
import { einvoice, einvoiceAttachment, einvoiceView } from './einvoice.ts';
import type { EinvoiceServices } from './einvoice-source.ts';
import { choose, facts } from './facts.ts';
import { list } from './list-documents.ts';
import { createNote, notes, removeNote } from './notes.ts';
import { read, remove } from './one-document.ts';
import { editPages } from './page-editing/edit-pages.ts';
import { pageWords } from './page-words.ts';
import { pages } from './pages.ts';
import { preview } from './preview.ts';
import { retryOcr } from './retry-ocr.ts';
import { signatures } from './signatures.ts';
import { dismiss, similar } from './similar.ts';
import { thumbnail } from './thumbnail.ts';
import { patch, put } from './update.ts';
import { upload } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';
import { versionRoutes } from './versions/routes.ts';

export const documentRoutes = (services: DocumentServices & DocumentFileServices & EinvoiceServices): readonly Route[] => [
  upload(services),
  uploadLimits(services),
  bulkUpload(services),
  bulkActions(services),
  bulkDownload(services),
  createDownloadTicket(services),
  downloadByTicket(services),
  list(services),
  read(services),
  put(services),
  patch(services),
  remove(services),
  download(services),
  pages(services),
  pageWords(services),
  editPages(services),
  facts(services),
  choose(services),
  einvoice(services),
  einvoiceView(services),
  einvoiceAttachment(services),
  signatures(services),
  similar(services),
  dismiss(services),
  notes(services),
  createNote(services),
  removeNote(services),
  thumbnail(services),
  preview(services),
  retryOcr(services),
  ...versionRoutes(services),
  archiveNumber(services),
];
