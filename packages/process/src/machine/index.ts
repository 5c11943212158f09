export { setBlockingThreads } from './blocking-threads.ts';
export {
  CpuMeter,
  type DiskUse,
  EXCHANGE_FOLDER_MODE,
  FILE_MODE,
  FOLDER_MODE,
  isDatabaseDiskFull,
  makeFolder,
  nearestFolder,
  readDisks,
  readMemoryShare,
  removeFolder,
  type Share,
  syncPath,
} from './machine.ts';
export { type MemoryUse, readMemoryUse, residentBytes, sharedBytes, totalOf } from './memory-use.ts';
export { commandLineOf, killProgram, listPrograms, ProcessLooks, type ProgramTree, processStart, processStat } from './process-trees.ts';
