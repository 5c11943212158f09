export { findCommit } from './commit.ts';
export { forEachLimit, inBatches } from './for-each-limit.ts';
export { constant, type Live, LiveValue, select } from './live.ts';
export { type Logger, makeLogger, silentLogger } from './log.ts';
export { withLogFields } from './log-context.ts';
export {
  type Component,
  CRASHED_PROCESSES,
  isSupervised,
  isSupervisorReport,
  Loop,
  MEMORY_LIMIT,
  makeSupervisorReports,
  reportToSupervisor,
  type SupervisionMessage,
  type SupervisorWord,
  supervisionMessage,
} from './loop.ts';
export { type CacheArea, type CacheLimits, MemoryCache, shareAnswer } from './memory-cache.ts';
export { Counter, Gauge, Histogram, makeRegistry, type Registry } from './metrics.ts';
export { type Clock, listen, PlainServer, type ProbePaths, ProbeServer, summarise, systemClock, uuidv7 } from './probe-server.ts';
export { FatalError, logFatal, runComponents, stopInReverse } from './process-life.ts';
export { type ChildProgram, lastErrorLine, type ProgramEnd, ProgramLoop, startChildProgram } from './program-loop.ts';
export { openSecret, type SealContext, sealSecret } from './sealed-secret.ts';
export { type ThreadOutcome, ThreadPool } from './thread-pool.ts';
export { VERSION } from './version.ts';
export { backoffMs, retry, sleep, untilAborted, waitFor, within } from './wait.ts';
