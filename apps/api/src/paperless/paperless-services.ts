import type { AuthServices } from '../auth/auth-services.ts';
import type { DocumentServices } from '../documents/document-services.ts';

/** What the routes of the Paperless-compatible API use. */
export type PaperlessServices = DocumentServices & Pick<AuthServices, 'config' | 'identity'>;
