export { readXmpSidecar } from './folder/import-folder.ts';
export { dateInName, PathPattern, PatternError } from './folder/path-pattern.ts';
export { readJsonSidecar } from './folder/sidecar.ts';
export { htmlToText, type Message, readMessage } from './mail/message.ts';
export { readMbox, toRtf } from './mail/read-mail.ts';
export { withImportRun } from './runs/with-import-run.ts';
