import { boolean, check, index, integer, pgTable, sql, text, timestamp, uniqueIndex, uuid } from '../drizzle.ts';

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    username: text('username').notNull(),
    email: text('email').notNull(),
    role: text('role').notNull(),
    displayName: text('display_name'),
    passwordHash: text('password_hash'),
    disabledAt: timestamp('disabled_at', { withTimezone: true }),
    authMethod: text('auth_method').$type<'local' | 'oidc' | 'ldap' | 'saml2'>().notNull().default('local'),
    externalId: text('external_id'),
    externalGroups: text('external_groups').array().notNull().default([]),
    emailVerifiedAt: timestamp('email_verified_at', { withTimezone: true }),
    passwordChangedAt: timestamp('password_changed_at', { withTimezone: true }),
    mfaRequiredSince: timestamp('mfa_required_since', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
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
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    address: text('address'),
    userAgent: text('user_agent'),
    kind: text('kind').$type<'token' | 'cookie'>().notNull().default('token'),
    cookieHash: text('cookie_hash'),
    refreshNumber: integer('refresh_number').notNull().default(0),
    idleExpiresAt: timestamp('idle_expires_at', { withTimezone: true }),
    lastSeenAt: timestamp('last_seen_at', { withTimezone: true }).notNull().defaultNow(),
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
