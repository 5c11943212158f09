import type { AuthServices } from '../auth/answer-sign-in.ts';
import type { DocumentFileServices, DocumentServices } from '../documents/document-services.ts';
import type { ShareServices } from '../shares/change-shares.ts';
import type { TrashServices } from '../trash/change-trash.ts';
import type { UserServices } from '../users/user-imports.ts';

/** What the routes of the Paperless-compatible API use. */
export type PaperlessServices = DocumentServices &
  DocumentFileServices &
  ShareServices &
  Pick<AuthServices, 'config' | 'identity'> &
  Pick<TrashServices, 'retentionMs'> &
  Pick<UserServices, 'accounts' | 'audit' | 'watchDirectories'>;
