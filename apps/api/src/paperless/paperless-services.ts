import type { AuthServices } from '../auth/auth-services.ts';
import type { DocumentFileServices, DocumentServices } from '../documents/document-services.ts';
import type { ShareServices } from '../shares/share-services.ts';
import type { TrashServices } from '../trash/trash-services.ts';
import type { UserServices } from '../users/user-services.ts';

/** What the routes of the Paperless-compatible API use. */
export type PaperlessServices = DocumentServices &
  DocumentFileServices &
  ShareServices &
  Pick<AuthServices, 'config' | 'identity'> &
  Pick<TrashServices, 'retentionMs'> &
  Pick<UserServices, 'accounts' | 'audit' | 'watchDirectories'>;
