// What the tests use of the commands: files can move behind it.
export { generatedFiles, ROOT } from './docs/write-docs.ts';
export { exitCodeOf } from './failure.ts';
export { parseArguments } from './migrate-to-s3/arguments.ts';
export { readOriginal, Tally, type Transfer } from './migrate-to-s3/judge-failure.ts';
export { runTransfer, type VerifyMode } from './migrate-to-s3/migrate.ts';
export { formatDuration, Progress } from './progress/progress.ts';
export { runChecks } from './verify/run-checks.ts';
export { DATABASE_CHECKS, makeFileChecks } from './verify/verify.ts';
