// What all imports share, for the import of a package above this one.
export { type CheckedBody, checkBody } from './checked-body.ts';
export { type AtOnce, eachAtOnce } from './each-at-once.ts';
export { ENTRY_KINDS, type EntryKind } from './entry-kinds.ts';
export { DELETED_HERE, findByName } from './find-by-name.ts';
export { type ImportedItem, ImportItems } from './import-items.ts';
export { toName } from './names.ts';
export { type FileLimits, type ImportProgress, ImportReport, type ImportSummary } from './report.ts';
export type { HeldImport } from './runs/import-runs.ts';
export { withImportRun } from './runs/with-import-run.ts';
export { ImportSourceError, reasonOf } from './source-error.ts';
export { withTakingBack } from './taking-back.ts';
export { withLanguages } from './text-languages.ts';
