import type { Route } from '../http/route.ts';
import { bulkActions } from './bulk-actions.ts';
import { bulkUpload } from './bulk-upload.ts';
import { download } from './download.ts';
import { list } from './list-documents.ts';
import { read, remove } from './one-document.ts';
import { pages } from './pages.ts';
import { preview } from './preview.ts';
import { retryOcr } from './retry-ocr.ts';
import { thumbnail } from './thumbnail.ts';
import { patch, put } from './update.ts';
import { upload } from './upload.ts';

export const documentRoutes: readonly Route[] = [
  upload,
  bulkUpload,
  bulkActions,
  list,
  read,
  put,
  patch,
  remove,
  download,
  pages,
  thumbnail,
  preview,
  retryOcr,
];
