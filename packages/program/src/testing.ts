// What only the tests of this package import: production code uses the index.

export { makeHeartbeat } from './heartbeat.ts';
export { makeHostSecretsCheck, secretMarks } from './host-secrets.ts';
export { checkConnectionRoom, makePoolerCheck } from './run-program.ts';
export { startingWithDatabase, waitForDatabase } from './schema-check.ts';
export { makeUploadFolderCheck } from './upload-folder.ts';
