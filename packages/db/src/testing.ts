// What only the tests of this package import: production code uses the index.

export { statementLabel } from './drizzle.ts';
export { cancelStatement } from './server-client.ts';
export { AnswerWatch } from './servers.ts';
export { DatabaseTlsError, PoolerError } from './sql-state.ts';
