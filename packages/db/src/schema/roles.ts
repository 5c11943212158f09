import { pgTable, text, timestamp } from '../drizzle.ts';

/** Roles that administrators changed or added; built-in roles that are as they were have no row. */
export const roles = pgTable('roles', {
  name: text('name').primaryKey(),
  permissions: text('permissions').array().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});
