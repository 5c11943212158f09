import { uploadLimitsBody } from '@sheaf/contract/documents';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';

export const uploadLimits = ({ ingest: { settings } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/upload-limits',
    access: 'documents.create',
    summary: 'Get the size and types that an upload may have',
    status: 200,
    response: uploadLimitsBody,
    handle: async (_input) => {
      const { maxFileBytes, allowedFileTypes } = settings.current();
      return { max_file_bytes: maxFileBytes, extensions: [...allowedFileTypes.upload] };
    },
  });
