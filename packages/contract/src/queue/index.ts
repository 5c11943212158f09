export { AUTO_LANGUAGE, type OcrLanguageChoice, ocrLanguage, parseOcrLanguage } from './ocr-language.ts';
export {
  jobPriority,
  ocrLanguagesBody,
  type QueueItemBody,
  type QueueStatusBody,
  queueItemBody,
  queueListQuery,
  queueStatusBody,
  retryRequest,
  toPriorityName,
} from './queue.ts';
