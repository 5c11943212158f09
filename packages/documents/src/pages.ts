export {
  deleteStalePages,
  findReadingStart,
  listPages,
  listRecognisedPages,
  markPagesStale,
  type PageFields,
  type PageList,
  type PageListRequest,
  type PageTotals,
  type ReadingStart,
  readContent,
  readPageWords,
  readRecognisedWords,
  savePages,
  summarisePages,
} from './document-pages.ts';
export { editText } from './edit-text.ts';
