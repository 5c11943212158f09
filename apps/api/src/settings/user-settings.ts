import type { UserSettingsBody, UserSettingsRequest } from '@sheaf/contract/users';
import type { UserSettingsRow } from '@sheaf/db/schema';
import type { UserSettingsFields } from '@sheaf/settings';
import { DEFAULT_PER_PAGE } from '@sheaf/vocabulary/limits';

/** What is valid for a user: his choices, and where he made none what everybody has. */
export const toUserSettings = (row: UserSettingsRow | undefined, defaultLanguage: string): UserSettingsBody => ({
  theme: row?.theme ?? 'auto',
  language: row?.language ?? 'auto',
  notifications_enabled: row?.notificationsEnabled ?? true,
  ocr_default_language: row?.ocrDefaultLanguage ?? defaultLanguage,
  items_per_page: row?.itemsPerPage ?? DEFAULT_PER_PAGE,
});

/** The columns that a request changes. */
export const toFields = (request: UserSettingsRequest): UserSettingsFields => ({
  ...(request.theme === undefined ? {} : { theme: request.theme }),
  ...(request.language === undefined ? {} : { language: request.language }),
  ...(request.notifications_enabled === undefined ? {} : { notificationsEnabled: request.notifications_enabled }),
  ...(request.ocr_default_language === undefined ? {} : { ocrDefaultLanguage: request.ocr_default_language }),
  ...(request.items_per_page === undefined ? {} : { itemsPerPage: request.items_per_page }),
});
