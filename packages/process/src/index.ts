export { inBatches } from './batches.ts';
export { type ChildProgram, lastErrorLine, type ProgramEnd, startChildProgram } from './child-program.ts';
export { type Clock, systemClock } from './clock.ts';
export { findCommit } from './commit.ts';
export { type Component } from './component.ts';
export { forEachLimit } from './for-each-limit.ts';
export { listen } from './listen.ts';
export { constant, type Live, LiveValue, select } from './live.ts';
export { type Logger, makeLogger, silentLogger } from './log.ts';
export { withLogFields } from './log-context.ts';
export { Loop } from './loop.ts';
export { type CacheArea, type CacheLimits, MemoryCache } from './memory-cache.ts';
export { Counter, Gauge, Histogram, makeRegistry, type Registry } from './metrics.ts';
export { PlainServer } from './plain-server.ts';
export { type ProbePaths, ProbeServer, summarise } from './probe-server.ts';
export { FatalError, logFatal, runComponents, stopInReverse } from './process-life.ts';
export { ProgramLoop } from './program-loop.ts';
export { openSecret, type SealContext, sealSecret } from './sealed-secret.ts';
export { shareAnswer } from './shared-answer.ts';
export {
  CRASHED_PROCESSES,
  isSupervised,
  isSupervisorReport,
  MEMORY_LIMIT,
  makeSupervisorReports,
  reportToSupervisor,
  type SupervisionMessage,
  type SupervisorWord,
  supervisionMessage,
} from './supervision-message.ts';
export { type ThreadOutcome, ThreadPool } from './thread-pool.ts';
export { uuidv7 } from './uuid.ts';
export { VERSION } from './version.ts';
export { backoffMs, sleep, waitFor, within } from './wait.ts';
