import type { Live } from '@sheaf/process';
import type { DocumentServices } from '../documents/document-services.ts';

/** What the routes of the trash use. */
export interface TrashServices extends Pick<DocumentServices, 'database' | 'storage' | 'cursors' | 'log'> {
  /** How long a document stays in the trash. */
  readonly retentionMs: Live<number>;
}
