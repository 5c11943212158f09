import { z } from 'zod';
import { rule, textLike } from '../issue.ts';

/** Language codes of tesseract, joined by +, each once. */
export const ocrLanguage = textLike(
  /^[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20}){0,9}$/,
  'not_language',
  z.string().refine((text) => new Set(text.split('+')).size === text.split('+').length, rule('language_twice')),
);
