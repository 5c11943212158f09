export { joinPostgresServer } from './join-server.ts';
export { ownServerUrl } from './own-server-url.ts';
export { openPostgresServer, type PostgresServer, type PostgresServerSettings } from './server.ts';
