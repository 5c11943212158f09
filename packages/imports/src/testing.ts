export { dateInName } from './folder/date-in-name.ts';
export { PathPattern, PatternError } from './folder/path-pattern.ts';
export { readJsonSidecar } from './folder/sidecar.ts';
export { readXmpSidecar } from './folder/xmp-sidecar.ts';
export { htmlToText } from './mail/html-to-text.ts';
export { readMbox } from './mail/mbox-messages.ts';
export { type Message, readMessage } from './mail/message.ts';
export { toRtf } from './mail/message-rtf.ts';
export { withImportRun } from './runs/with-import-run.ts';
