// What the tests use of the sync process: files can move behind it.
export { type Comparison, compareFile, outcomeOfSkipped } from './compare-file.ts';
export { type ComposeOptions, openSyncDeps } from './compose.ts';
export { IdSet } from './id-set.ts';
export { openDeliverer } from './open-deliverer.ts';
export { makeDriverOpener, makeFetchFor } from './open-driver.ts';
export { PendingFiles } from './pending-files.ts';
export { fileRetryMs, nextAfterFailureMs, nextAfterSuccessMs } from './schedule.ts';
export { Slots } from './slots.ts';
export { makeSourceChecks } from './source-checks.ts';
export type { SyncDeps } from './sync-deps.ts';
export { SyncEngine } from './sync-engine.ts';
