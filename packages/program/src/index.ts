export { VERSION } from '@sheaf/process';
export { deleteProcessesBefore, hasOtherProcess, listProcesses, listProcessesWithoutPlaces, recordHeartbeat } from './queries/processes.ts';
export { type Program, type ProgramContext, type ProgramParts, runProgram } from './run-program.ts';
export { SchemaCheck } from './schema-check.ts';
export { SettingsFeed } from './settings-feed.ts';
