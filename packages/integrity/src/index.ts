export { checkStoredFile, type FileState, peek } from './check-stored-file.ts';
export { noteFileCheck, STORED_FILES } from './findings.ts';
export { lookTwice } from './look-twice.ts';
export { type PutBackDeps, putBack } from './put-back.ts';
export { Scrub } from './scrub.ts';
export type { ScrubMetrics } from './scrubber.ts';
