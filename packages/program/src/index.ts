export { VERSION } from '@sheaf/runtime';
export { HEARTBEAT_MS } from './heartbeat.ts';
export { LiveSettings, type Settings } from './live-settings.ts';
export { type Program, type ProgramContext, type ProgramParts, runProgram } from './run-program.ts';
export { SchemaCheck } from './schema-check.ts';
export { SettingsFeed } from './settings-feed.ts';
