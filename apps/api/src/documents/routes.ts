import type { Route } from '../http/route.ts';
import { download } from './download.ts';
import { list } from './list-documents.ts';
import { read, remove } from './one-document.ts';
import { retryOcr } from './retry-ocr.ts';
import { thumbnail } from './thumbnail.ts';
import { upload } from './upload.ts';

export const documentRoutes: readonly Route[] = [upload, list, read, remove, download, thumbnail, retryOcr];
