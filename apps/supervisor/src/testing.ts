// What the tests use of the supervisor: files can move behind it.
export { announcement } from './announcement.ts';
export { limitsInEnvironment } from './child-environment.ts';
export { chooseProcesses, isFurtherHost } from './chosen-processes.ts';
export { parseCommandLine } from './command-line.ts';
export { composeSupervisor } from './compose.ts';
export { EmbeddedDatabase } from './embedded-database.ts';
export { MemoryGuard } from './memory-guard.ts';
export { parseProcfile } from './procfile.ts';
export { type Ending, findStop, RESTART_LIMITS, RestartPolicy } from './restart-policy.ts';
export { parseScale, toInstances } from './scale.ts';
