// What the tests use of the watcher: files can move behind it.

export { makeHousekeeping, makeSavedSearchMatches } from './compose.ts';
export { FileMover } from './file-mover.ts';
export { type FindRoots, makeGlobalRoot, type OpenWatchRoot, type WatchRoot } from './file-notes.ts';
export { FolderNudger } from './folder-watch.ts';
export { HealthMonitor, makeAlertCounter } from './health/health-monitor.ts';
export { machineMeters, Threshold } from './health/machine-conditions.ts';
export { type DueFile, DueFiles } from './import-order.ts';
export { isMoveFolder, type MoveOutcome, type MovePoint, moveProcessed, undoMove } from './move-processed.ts';
export { numberedName } from './processed/target-folder.ts';
export { Scanner, type ScannerSettings, statAgain, UnreadablePaths } from './scanner.ts';
export { isWriteLocked, type LedgerFile, refuseListed } from './take-file.ts';
