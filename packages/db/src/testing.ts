// What only the tests of this package import: production code uses the index.

export { AnswerWatch } from './answer-watch.ts';
export { statementLabel } from './drizzle.ts';
export { cancelStatement } from './server-client.ts';
export { DatabaseTlsError, PoolerError } from './sql-state.ts';
