export { PostgresServerError, type PostgresServerErrorCode } from './errors.ts';
export { type JoinedServer, type JoinSettings, joinPostgresServer } from './join-server.ts';
export { openPostgresServer, type PostgresServer, type PostgresServerSettings } from './server.ts';
export type { ServerExit, StopMode } from './server-process.ts';
