// What only the tests of this package import: production code uses the index.
export { default as documentTask } from './document-task.ts';
export { DocumentThreads } from './document-threads.ts';
export { MainLink } from './main-link.ts';
export type { DocumentTask } from './thread-messages.ts';
