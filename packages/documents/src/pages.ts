export {
  deleteStalePages,
  findReadingStart,
  listPages,
  markPagesStale,
  type PageFields,
  type PageList,
  type PageListRequest,
  type PageTotals,
  type ReadingStart,
  readContent,
  readPageWords,
  savePages,
  summarisePages,
} from './document-pages.ts';
export { editText } from './edit-text.ts';
export { listRecognisedPages, readRecognisedWords } from './recognised-words.ts';
