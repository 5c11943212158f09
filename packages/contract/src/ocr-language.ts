import { z } from 'zod';
import { type IssueCode, rule } from './issue.ts';

/** Language codes of tesseract, joined by +, each once. */
export const ocrLanguage = z
  .stringFormat(
    'not_language' satisfies IssueCode,
    /^[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20}){0,9}$/,
    'must be language codes joined by +, such as eng+deu',
  )
  .refine((text) => new Set(text.split('+')).size === text.split('+').length, rule('language_twice', 'must name each language once'));
