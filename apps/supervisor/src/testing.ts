// What the tests use of the supervisor: files can move behind it.

export { parseCommandLine } from './command-line.ts';
export { announcement, composeSupervisor, limitsInEnvironment } from './compose.ts';
export { EmbeddedDatabase } from './embedded-database.ts';
export { MemoryGuard } from './memory-guard.ts';
export { chooseProcesses, isFurtherHost, parseProcfile } from './procfile.ts';
export { type Ending, findStop, RESTART_LIMITS, RestartPolicy } from './restart-policy.ts';
export { parseScale, toInstances } from './supervised-child.ts';
