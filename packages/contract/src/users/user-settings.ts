import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import { z } from 'zod';
import { textLike } from '../issue.ts';
import { ocrLanguage } from '../queue/ocr-language.ts';

const THEMES = ['auto', 'light', 'dark'] as const;

export const userSettingsBody = z
  .strictObject({
    theme: z.enum(THEMES),
    language: z.string().describe('Display language such as en or de-AT; auto: language of the browser'),
    notifications_enabled: z.boolean().describe('Security notifications are always sent'),
    ocr_default_language: z.string().describe('OCR language of documents without a language of their own, such as eng+deu'),
    items_per_page: z.int().min(1).max(MAX_PER_PAGE),
  })
  .meta({ id: 'UserSettings' });
export type UserSettingsBody = z.infer<typeof userSettingsBody>;

export const userSettingsRequest = z
  .strictObject({
    theme: z.enum(THEMES),
    language: textLike(/^(?:auto|[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)$/, 'not_language'),
    notifications_enabled: z.boolean(),
    ocr_default_language: ocrLanguage,
    items_per_page: z.int().min(1).max(MAX_PER_PAGE),
  })
  .partial()
  .meta({ id: 'UserSettingsRequest' });
export type UserSettingsRequest = z.infer<typeof userSettingsRequest>;
