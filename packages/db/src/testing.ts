// What only the tests of this package import: production code uses the index.

export { AnswerWatch } from './answer-watch.ts';
export { cancelStatement } from './cancel-statement.ts';
export { DatabaseTlsError, PoolerError } from './connection-error.ts';
export { statementLabel } from './statement-error.ts';
