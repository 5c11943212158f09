import type { CreateSourceRequest, SourceBody, UpdateSourceRequest } from '@sheaf/contract/sources';
import type { Source } from '@sheaf/db/schema';

/** What people say of a source of any type and what is kept as it was said, whatever else is said. */
export type PlainFields = Pick<Source, 'name' | 'syncIntervalSeconds' | 'isRecursive' | 'filePatterns' | 'isEnabled'>;

type PlainBody = Pick<SourceBody, 'name' | 'sync_interval' | 'recursive' | 'file_patterns' | 'enabled'>;

export const plainFieldsOf = (request: CreateSourceRequest): PlainFields => ({
  name: request.name,
  syncIntervalSeconds: request.sync_interval,
  isRecursive: request.recursive,
  filePatterns: request.file_patterns,
  isEnabled: request.enabled,
});

/** `kept` with what the request gives. */
export const changedPlainFields = (kept: PlainFields, request: UpdateSourceRequest): PlainFields => ({
  name: request.name ?? kept.name,
  syncIntervalSeconds: request.sync_interval ?? kept.syncIntervalSeconds,
  isRecursive: request.recursive ?? kept.isRecursive,
  filePatterns: request.file_patterns ?? kept.filePatterns,
  isEnabled: request.enabled ?? kept.isEnabled,
});

export const plainBodyOf = (fields: PlainFields): PlainBody => ({
  name: fields.name,
  sync_interval: fields.syncIntervalSeconds,
  recursive: fields.isRecursive,
  file_patterns: fields.filePatterns,
  enabled: fields.isEnabled,
});
