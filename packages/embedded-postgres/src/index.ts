export { joinPostgresServer } from './join-server.ts';
export { openPostgresServer, type PostgresServer, type PostgresServerSettings } from './server.ts';
