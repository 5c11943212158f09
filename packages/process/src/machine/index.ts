export { setBlockingThreads } from './blocking-threads.ts';
export { EXCHANGE_FOLDER_MODE, FILE_MODE, FOLDER_MODE, makeFolder, nearestFolder, removeFolder, syncPath } from './folders.ts';
export { CpuMeter, type DiskUse, isDatabaseDiskFull, readDisks, readMemoryShare, type Share } from './machine.ts';
export { type MemoryUse, readMemoryUse, residentBytes, sharedBytes, totalOf } from './memory-use.ts';
export { commandLineOf, killProgram, listPrograms, ProcessLooks, type ProgramTree, processStart, processStat } from './process-trees.ts';
