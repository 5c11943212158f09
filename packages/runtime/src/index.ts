export type { Clock } from './clock.ts';
export { systemClock } from './clock.ts';
export type { Component } from './component.ts';
export {
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
  makeGuardedFetch,
} from './guarded-fetch.ts';
export { type Logger, type LogSettings, makeLogger, silentLogger } from './log.ts';
export { Loop, type LoopSettings } from './loop.ts';
export { Counter, Gauge, Histogram, makeRegistry, type Registry } from './metrics.ts';
export { OutboundError, type OutboundErrorCode } from './outbound-error.ts';
export { type AddressCheck, makeAddressCheck, type OutboundPolicy } from './outbound-policy.ts';
export { ProbeServer, type ProbeSettings } from './probe-server.ts';
export { FatalError, type LifeOptions, runComponents } from './process-life.ts';
export { processStart, processStat } from './process-start.ts';
export { runTool, type ToolCommand, type ToolOutcome, type ToolRun, toolEnvironment } from './run-tool.ts';
export { openSecret, type SealContext, sealSecret } from './sealed-secret.ts';
export { type RunningTool, startTool, type ToolEnd } from './start-tool.ts';
export { type SupervisionMessage, supervisionMessage, tellSupervisor } from './supervision-message.ts';
export { canCutNetwork, DEFAULT_TOOL_LIMITS, guardPrefix, type ToolLimits } from './tool-guard.ts';
export { writeLauncher } from './tool-launcher.ts';
export { uuidv7 } from './uuid.ts';
export { backoffMs, sleep, waitFor } from './wait.ts';
