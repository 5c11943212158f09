export {
  deleteStalePages,
  listPages,
  markPagesStale,
  type PageFields,
  type PageList,
  type PageListRequest,
  type PageTotals,
  readContent,
  readPageWords,
  savePages,
  summarisePages,
} from './document-pages.ts';
export { editText } from './edit-text.ts';
export { findReadingStart, type ReadingStart } from './reading-start.ts';
export { listRecognisedPages, readRecognisedWords } from './recognised-words.ts';
