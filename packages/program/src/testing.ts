// What only the tests of this package import: production code uses the index.
export { checkConnectionRoom } from './connection-room.ts';
export { makeHeartbeat } from './heartbeat.ts';
export { makeHostSecretsCheck, secretMarks } from './host-secrets.ts';
export { makePoolerCheck } from './pooler-check.ts';
export { makeUploadFolderCheck } from './upload-folder.ts';
export { startingWithDatabase, waitForDatabase } from './wait-for-database.ts';
