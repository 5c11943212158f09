import type { CreateSourceRequest } from '@sheaf/contract/sources';
import type { SourceFields } from '@sheaf/db/schema';
import { requireFilePatterns } from './file-patterns.ts';
import { plainFieldsOf } from './source-fields.ts';

/** What a request to make a source says of it, and its secret apart. Throws VALIDATION_ERROR for patterns that take too much time. */
export const newSource = (request: CreateSourceRequest): { fields: Omit<SourceFields, 'sealedSecret'>; secret: string | undefined } => {
  requireFilePatterns(request.file_patterns);
  const { username, password, url } =
    request.type === 'local_folder'
      ? { username: undefined, password: undefined, url: undefined }
      : { username: request.username, password: request.password, url: request.type === 'webdav' ? request.url : undefined };
  return {
    fields: {
      ...plainFieldsOf(request),
      url: url ?? null,
      username: username ?? null,
      settings: request.settings,
    },
    secret: password,
  };
};
