import { bigint, boolean, check, desc, index, integer, jsonb, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
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

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    userId: belongsTo('user_id', () => users.id),
    name: text('name').notNull(),
    scope: text('scope').array().notNull(),
    keyHash: text('key_hash').notNull(),
    prefix: text('prefix').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    revokedAt: timestamptz('revoked_at'),
    lastUsedAt: timestamptz('last_used_at'),
    createdAt: createdAt(),
  },
  (t) => [
    check('api_keys_name_check', sql`char_length(${t.name}) between 1 and 100`),
    uniqueIndex('api_keys_key_hash_key').on(t.keyHash),
    index('api_keys_user_id_idx').on(t.userId),
  ],
);
export type ApiKey = typeof apiKeys.$inferSelect;

/** Second factors. */
export const mfaDevices = pgTable(
  'mfa_devices',
  {
    id: uuid('id').primaryKey(),
    userId: belongsTo('user_id', () => users.id),
    kind: text('kind').$type<'totp' | 'webauthn'>().notNull(),
    name: text('name').notNull(),
    secret: text('secret'),
    lastStep: bigint('last_step', { mode: 'number' }),
    credentialId: text('credential_id'),
    publicKey: text('public_key'),
    signCount: bigint('sign_count', { mode: 'number' }),
    transports: text('transports').array(),
    enabledAt: timestamptz('enabled_at'),
    lastUsedAt: timestamptz('last_used_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('mfa_devices_user_id_idx').on(t.userId),
    uniqueIndex('mfa_devices_credential_id_key').on(t.credentialId).where(sql`${t.credentialId} is not null`),
  ],
);
export type MfaDevice = typeof mfaDevices.$inferSelect;

export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: belongsTo('user_id', () => users.id),
    codeHash: text('code_hash').notNull(),
    usedAt: timestamptz('used_at'),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

/** What lives for minutes, or is remembered so that it works once. */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    tokenHash: text('token_hash').notNull(),
    purpose: text('purpose').notNull(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    data: jsonb('data').$type<Record<string, unknown>>().notNull().default({}),
    attempts: integer('attempts').notNull().default(0),
    createdAt: createdAt(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.purpose, t.tokenHash] }),
    index('one_time_tokens_expires_at_idx').on(t.expiresAt),
    index('one_time_tokens_user_id_idx').on(t.userId).where(sql`${t.userId} is not null`),
  ],
);
export type OneTimeToken = typeof oneTimeTokens.$inferSelect;

/** Failed sign-ins, by account and by address. */
export const loginFailures = pgTable('login_failures', {
  subject: text('subject').primaryKey(),
  failures: integer('failures').notNull(),
  firstAt: timestamptz('first_at').notNull(),
  lockedUntil: timestamptz('locked_until'),
});

/** Where a user has signed in before: `device:` with the hash of a cookie, or `address:`. */
export const knownDevices = pgTable(
  'known_devices',
  {
    userId: belongsTo('user_id', () => users.id),
    origin: text('origin').notNull(),
    lastSeenAt: timestamptz('last_seen_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.origin] }), index('known_devices_origin_idx').on(t.origin)],
);

export const auditLog = pgTable(
  'audit_log',
  {
    id: uuid('id').primaryKey(),
    createdAt: createdAt(),
    actorId: uuid('actor_id'),
    actorName: text('actor_name'),
    address: text('address'),
    action: text('action').notNull(),
    outcome: text('outcome').$type<'success' | 'failure'>().notNull(),
    subjectType: text('subject_type'),
    subjectId: text('subject_id'),
    details: jsonb('details').$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [
    index('audit_log_created_at_idx').on(desc(t.createdAt), desc(t.id)),
    index('audit_log_actor_id_idx').on(t.actorId, desc(t.createdAt)),
    index('audit_log_action_idx').on(t.action, desc(t.createdAt)),
  ],
);
export type AuditRow = typeof auditLog.$inferSelect;
