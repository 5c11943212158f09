export {
  beginRun,
  endRun,
  listOpenRuns,
  listUncheckedSources,
  noteCheck,
  noteRunOfSource,
  queueDueRuns,
  type RunCounters,
  type RunnableSources,
  type SourceRunRow,
  type SourceTrouble,
  saveRun,
} from './queries/sync-queue.ts';
export { cancelRun, findLastRun, requestRun } from './queries/sync-runs.ts';
