import { type AnyPgColumn, timestamp, uuid } from '../drizzle.ts';

/** A moment. No column of this schema leaves the time zone open. */
export const timestamptz = (name: string) => timestamp(name, { withTimezone: true });

/** When the row was inserted. */
export const createdAt = () => timestamptz('created_at').notNull().defaultNow();

/** When the row was changed, or inserted where it never was. */
export const updatedAt = () => timestamptz('updated_at').notNull().defaultNow();

/** The row that this one is a part of: it is deleted with that one. */
export const belongsTo = (name: string, id: () => AnyPgColumn) => uuid(name).notNull().references(id, { onDelete: 'cascade' });

/** A row that this one names: it stays, and names none, once that one is deleted. */
export const refersTo = (name: string, id: () => AnyPgColumn) => uuid(name).references(id, { onDelete: 'set null' });
