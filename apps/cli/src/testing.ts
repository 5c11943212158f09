// What the tests use of the commands: files can move behind it.
export { generatedFiles, ROOT } from './docs/generated-files.ts';
export { exitCodeOf } from './failure.ts';
export { parseArguments } from './migrate-to-s3/arguments.ts';
export { readOriginal } from './migrate-to-s3/content.ts';
export { runTransfer, type VerifyWish } from './migrate-to-s3/run-transfer.ts';
export { Tally } from './migrate-to-s3/tally.ts';
export type { Transfer } from './migrate-to-s3/transfer.ts';
export { formatDuration, Progress } from './progress/progress.ts';
export { DATABASE_CHECKS, makeFileChecks } from './verify/checks.ts';
export { runChecks } from './verify/run-checks.ts';
