import { pgTable, text } from '../drizzle.ts';
import { updatedAt } from './columns.ts';

/** Roles that administrators changed or added; built-in roles that are as they were have no row. */
export const roles = pgTable('roles', {
  name: text('name').primaryKey(),
  permissions: text('permissions').array().notNull(),
  updatedAt: updatedAt(),
});
