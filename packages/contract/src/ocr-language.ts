import { z } from 'zod';

/** Language codes of tesseract, joined by +, each once. */
export const ocrLanguage = z
  .string()
  .regex(/^[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20}){0,9}$/, 'must be language codes joined by +, such as eng+deu')
  .refine((text) => new Set(text.split('+')).size === text.split('+').length, 'must name each language once');
