// What only the tests of this package import: production code uses the index.
export { findDueFiles } from './queries/stored-file-checks.ts';
export { dueAfterMs, filesAtOnce, isLate, makeThrottle, pauseAfter, Scrubber } from './scrub.ts';
