export { VERSION } from '@sheaf/process';
export { deleteProcessesBefore, hasOtherProcess, listProcesses, listProcessesWithoutPlaces, recordHeartbeat } from './heartbeat.ts';
export { type Program, type ProgramContext, type ProgramParts, runProgram } from './run-program.ts';
export { SchemaCheck } from './schema-check.ts';
export { SettingsFeed } from './settings-feed.ts';
