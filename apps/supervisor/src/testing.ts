// What the tests use of the supervisor: files can move behind it.

export { chooseProcesses, isFurtherHost, parseCommandLine, parseProcfile } from './command-line.ts';
export { announcement, composeSupervisor, limitsInEnvironment } from './compose.ts';
export { EmbeddedDatabase } from './embedded-database.ts';
export { MemoryGuard } from './liveness.ts';
export { type Ending, findStop, RESTART_LIMITS, RestartPolicy } from './restart-policy.ts';
export { parseScale, toInstances } from './supervised-child.ts';
