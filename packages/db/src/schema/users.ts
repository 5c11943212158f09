import { boolean, check, index, integer, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';

/** The directory of each user under the base of the watch directories. */
export const watchDirectories = pgTable(
  'watch_directories',
  {
    id: uuid('id').primaryKey(),
    userId: refersTo('user_id', () => users.id),
    name: text('name').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('watch_directories_user_id_key').on(t.userId).where(sql`${t.userId} is not null`),
    uniqueIndex('watch_directories_name_key').on(sql`lower(${t.name})`),
  ],
);
export type WatchDirectory = typeof watchDirectories.$inferSelect;

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    username: text('username').notNull(),
    email: text('email').notNull(),
    role: text('role').notNull(),
    displayName: text('display_name'),
    passwordHash: text('password_hash'),
    disabledAt: timestamptz('disabled_at'),
    authMethod: text('auth_method').$type<'local' | 'oidc' | 'ldap' | 'saml2'>().notNull().default('local'),
    externalId: text('external_id'),
    externalGroups: text('external_groups').array().notNull().default([]),
    emailVerifiedAt: timestamptz('email_verified_at'),
    passwordChangedAt: timestamptz('password_changed_at'),
    mfaRequiredSince: timestamptz('mfa_required_since'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check('users_username_check', sql`${t.username} ~ '^[A-Za-z0-9_-]{1,64}$'`),
    uniqueIndex('users_username_key').on(sql`lower(${t.username})`),
    uniqueIndex('users_email_key').on(sql`lower(${t.email})`),
    uniqueIndex('users_external_id_key').on(t.authMethod, t.externalId).where(sql`${t.externalId} is not null`),
  ],
);
export type User = typeof users.$inferSelect;

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    userId: belongsTo('user_id', () => users.id),
    createdAt: createdAt(),
    expiresAt: timestamptz('expires_at').notNull(),
    revokedAt: timestamptz('revoked_at'),
    address: text('address'),
    userAgent: text('user_agent'),
    kind: text('kind').$type<'token' | 'cookie'>().notNull().default('token'),
    cookieHash: text('cookie_hash'),
    refreshNumber: integer('refresh_number').notNull().default(0),
    idleExpiresAt: timestamptz('idle_expires_at'),
    lastSeenAt: timestamptz('last_seen_at').notNull().defaultNow(),
    isRemembered: boolean('is_remembered').notNull().default(false),
    method: text('method').$type<'local' | 'oidc' | 'ldap' | 'saml2'>().notNull().default('local'),
  },
  (t) => [
    uniqueIndex('sessions_cookie_hash_key').on(t.cookieHash).where(sql`${t.cookieHash} is not null`),
    index('sessions_user_id_idx').on(t.userId),
    index('sessions_expires_at_idx').on(t.expiresAt),
  ],
);
export type Session = typeof sessions.$inferSelect;

/** Roles that administrators changed or added; built-in roles that are as they were have no row. */
export const roles = pgTable('roles', {
  name: text('name').primaryKey(),
  permissions: text('permissions').array().notNull(),
  updatedAt: updatedAt(),
});
