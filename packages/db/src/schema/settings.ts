import { boolean, check, integer, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import { refersTo, updatedAt } from './columns.ts';
import { users } from './users.ts';

/** What is set while the service runs and is the same for every process. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: updatedAt(),
  updatedBy: refersTo('updated_by', () => users.id),
});

/** What users have chosen; null where they have not. */
export const userSettings = pgTable(
  'user_settings',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    theme: text('theme', { enum: ['auto', 'light', 'dark'] }),
    language: text('language'),
    notificationsEnabled: boolean('notifications_enabled'),
    ocrDefaultLanguage: text('ocr_default_language'),
    itemsPerPage: integer('items_per_page'),
    updatedAt: updatedAt(),
  },
  (t) => [check('user_settings_items_per_page_check', sql`${t.itemsPerPage} between 1 and 100`)],
);
export type UserSettingsRow = typeof userSettings.$inferSelect;
