export { HEARTBEAT_MS } from './heartbeat.ts';
export { type Program, type ProgramContext, type ProgramParts, runProgram } from './run-program.ts';
export { VERSION } from './version.ts';
