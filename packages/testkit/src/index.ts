export { type Answer, ApiClient, type DocumentFacts } from './api-client.ts';
export { givenDocument, givenUser, principalOf } from './builders.ts';
export { openTestDatabase, TEMPLATE_DATABASE, TEST_CLUSTER_VARIABLE, type TestDatabase } from './database.ts';
export { makeServiceFolder, RunningService, type ServiceSettings } from './service.ts';
