// What the tests use of the sync process: files can move behind it.
export { type Comparison, compareFile, outcomeOfSkipped, PendingFiles } from './compare-file.ts';
export { type ComposeOptions, makeDriverOpener, makeFetchFor, makeSourceChecks, openDeliverer, openSyncDeps } from './compose.ts';
export { fileRetryMs, nextAfterFailureMs, nextAfterSuccessMs } from './run-tally.ts';
export { IdSet } from './source-pass.ts';
export { Slots, type SyncDeps } from './sync-deps.ts';
export { SyncEngine } from './sync-engine.ts';
