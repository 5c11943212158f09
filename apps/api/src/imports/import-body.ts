import type { ImportBody } from '@sheaf/contract/imports';
import type { ListedImport } from '@sheaf/imports/runs';

/** Whether it can be started once more with the same source, this time for good. */
export const canStart = ({ state, isDryRun, path, filename }: ListedImport): boolean =>
  (path !== null || filename !== null) && (state === 'failed' || (state === 'completed' && isDryRun));

export const toImportBody = (row: ListedImport): ImportBody => ({
  id: row.id,
  kind: row.kind as ImportBody['kind'],
  name: row.source,
  state: row.state,
  is_dry_run: row.isDryRun,
  path: row.path,
  filename: row.filename,
  phase: row.phase,
  done: row.documentsDone,
  total: row.documentsTotal,
  // nothing is counted before the end
  counts: 'documents' in row.counts ? (row.counts as NonNullable<ImportBody['counts']>) : null,
  error: row.error,
  error_code: row.errorCode,
  can_start: canStart(row),
  created_at: row.createdAt.toISOString(),
  started_at: row.state === 'queued' ? null : row.startedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});
