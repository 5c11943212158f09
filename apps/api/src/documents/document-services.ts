import type { Config } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import type { IngestDeps } from '@sheaf/ingest';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { Storage } from '@sheaf/storage';
import type { Cursors } from '../http/cursor.ts';
import type { OcrLanguages } from '../queue/languages.ts';
import type { DocumentSignatures } from './document-signatures.ts';
import type { PageArranger } from './page-editing/page-arranger.ts';
import type { SearchablePdfs } from './searchable-pdfs.ts';
import type { Thumbnails } from './thumbnails.ts';

/** What the routes of documents use. */
export interface DocumentServices {
  readonly database: Database;
  readonly storage: Storage;
  readonly ingest: Omit<IngestDeps, 'settings'> & { readonly settings: Live<Config['ingest']> };
  readonly languages: OcrLanguages;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the routes use besides that show the file of a document, or make another of it. */
export interface DocumentFileServices {
  readonly thumbnails: Thumbnails;
  readonly searchablePdfs: SearchablePdfs;
  readonly documentSignatures: DocumentSignatures;
  readonly pageArranger: PageArranger;
}
