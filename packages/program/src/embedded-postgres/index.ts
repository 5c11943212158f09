export { joinPostgresServer, openPostgresServer, type PostgresServer, type PostgresServerSettings } from './join-server.ts';
export { ownServerUrl } from './server-process.ts';
