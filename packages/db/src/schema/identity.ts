import { bigint, check, desc, index, integer, jsonb, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, timestamptz } from './columns.ts';
import { users } from './users.ts';

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
