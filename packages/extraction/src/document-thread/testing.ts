// What only the tests of this package import: production code uses the index.
export { default as documentTask } from './document-task.ts';
export { DocumentThreads } from './document-threads.ts';
export { type DocumentTask, MainLink } from './main-link.ts';
