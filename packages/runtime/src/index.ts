export { setBlockingThreads } from './blocking-threads.ts';
export type { Clock } from './clock.ts';
export { systemClock } from './clock.ts';
export { findCommit } from './commit.ts';
export type { Component } from './component.ts';
export { EXCHANGE_FOLDER_MODE, FILE_MODE, FOLDER_MODE } from './file-modes.ts';
export { forEachLimit } from './for-each-limit.ts';
export {
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
  makeGuardedFetch,
} from './guarded-fetch.ts';
export { listen } from './listen.ts';
export { type Logger, type LogSettings, makeLogger, silentLogger } from './log.ts';
export { withLogFields } from './log-context.ts';
export { Loop, type LoopSettings } from './loop.ts';
export { CpuMeter, type DiskUse, readDisks, readMemoryShare, type Share } from './machine.ts';
export { makeFolder } from './make-folder.ts';
export { type CacheArea, type CacheHooks, type CacheLimits, MemoryCache } from './memory-cache.ts';
export { type MemoryUse, readMemoryUse, residentBytes, sharedBytes, totalOf } from './memory-use.ts';
export { Counter, Gauge, Histogram, LABEL_NAMES, makeRegistry, type Registry } from './metrics.ts';
export { OutboundError, type OutboundErrorCode } from './outbound-error.ts';
export { type AddressCheck, makeAddressCheck, type OutboundPolicy } from './outbound-policy.ts';
export { type ProbePaths, ProbeServer, type ProbeSettings, summarise } from './probe-server.ts';
export { FatalError, type LifeOptions, runComponents } from './process-life.ts';
export { processStart, processStat } from './process-start.ts';
export { commandLineOf, killProgram, listPrograms, type ProgramTree } from './process-trees.ts';
export { noteProgramWork, readProgramWork } from './program-work.ts';
export { runTool, type ToolCommand, type ToolOutcome, type ToolRun, toolEnvironment } from './run-tool.ts';
export type { ToolAccess } from './sandbox/access.ts';
export { ExchangeFolder } from './sandbox/exchange-folder.ts';
export { describeLayers } from './sandbox/layers.ts';
export { hasOwnTemporaryFolder } from './sandbox/sandbox.ts';
export { openSecret, type SealContext, sealSecret } from './sealed-secret.ts';
export { shareAnswer } from './shared-answer.ts';
export { type RunningTool, startTool, type ToolEnd } from './start-tool.ts';
export {
  CRASHED_PROCESSES,
  isSupervised,
  isSupervisorReport,
  MEMORY_LIMIT,
  makeSupervisorReports,
  type SupervisionMessage,
  type SupervisorWord,
  supervisionMessage,
  tellSupervisor,
} from './supervision-message.ts';
export { type ThreadOutcome, ThreadPool, type ThreadPoolSettings, type ThreadTask } from './thread-pool.ts';
export { DEFAULT_TOOL_LIMITS, guardPrefix, type ToolLimits, toolLayers } from './tool-guard.ts';
export { writeLauncher } from './tool-launcher.ts';
export { openTracing, type TracingSettings } from './tracing/open-tracing.ts';
export { currentTraceParent, describeSpan, failSpan, inSpan, runInSpan, type Span, type SpanAttributes } from './tracing/span.ts';
export { NO_TRACER, type Tracer, type TraceStart, traced } from './tracing/tracer.ts';
export { uuidv7 } from './uuid.ts';
export { VERSION } from './version.ts';
export { backoffMs, sleep, waitFor, within } from './wait.ts';
