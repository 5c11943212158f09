import { NOTIFICATION_TYPES, type NotificationType } from '@sheaf/vocabulary/notifications';
import { bigint, check, desc, index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz } from './columns.ts';
import { users } from './users.ts';

/** What has to leave by e-mail or webhook, and what became of it. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: uuid('id').primaryKey(),
    notificationId: refersTo('notification_id', () => notifications.id),
    channel: text('channel', { enum: ['email', 'webhook'] }).notNull(),
    recipient: text('recipient'),
    payload: jsonb('payload').$type<DeliveryPayload>().notNull(),
    state: text('state', { enum: ['pending', 'sending', 'delivered', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer('attempts').notNull().default(0),
    dueAt: timestamptz('due_at').notNull().defaultNow(),
    leaseUntil: timestamptz('lease_until'),
    fence: bigint('fence', { mode: 'number' }).notNull().default(0),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    createdAt: createdAt(),
    deliveredAt: timestamptz('delivered_at'),
  },
  (t) => [
    check('deliveries_channel_check', sql`${t.channel} in ('email', 'webhook')`),
    check('deliveries_state_check', sql`${t.state} in ('pending', 'sending', 'delivered', 'failed')`),
    check('deliveries_attempts_check', sql`${t.attempts} >= 0`),
    check('deliveries_check', sql`(${t.state} = 'sending') = (${t.leaseUntil} is not null)`),
    check('deliveries_check1', sql`(${t.state} = 'delivered') = (${t.deliveredAt} is not null)`),
    index('deliveries_due').on(t.dueAt, t.id).where(sql`${t.state} = 'pending'`),
    index('deliveries_leased').on(t.leaseUntil).where(sql`${t.state} = 'sending'`),
    index('deliveries_created_at_idx').on(desc(t.createdAt), desc(t.id)),
  ],
);
export type Delivery = typeof deliveries.$inferSelect;

/** A notification as it leaves. */
export interface DeliveryPayload {
  readonly type: NotificationType;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly user_id: string; readonly title: string; readonly message: string };
}

/** What a user is told. */
export const notifications = pgTable(
  'notifications',
  {
    id: uuid('id').primaryKey(),
    userId: belongsTo('user_id', () => users.id),
    type: text('type', { enum: NOTIFICATION_TYPES }).notNull(),
    title: text('title').notNull(),
    message: text('message').notNull(),
    data: jsonb('data').$type<Record<string, unknown>>().notNull().default({}),
    readAt: timestamptz('read_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('notifications_user_id_idx').on(t.userId, desc(t.createdAt), t.id),
    index('notifications_unread_idx').on(t.userId).where(sql`${t.readAt} is null`),
  ],
);
export type Notification = typeof notifications.$inferSelect;

/** What is wrong now; a row goes when it is right again. */
export const alerts = pgTable(
  'alerts',
  {
    component: text('component').primaryKey(),
    level: text('level', { enum: ['critical', 'warning', 'info'] }).notNull(),
    message: text('message').notNull(),
    raisedAt: timestamptz('raised_at').notNull().defaultNow(),
  },
  (t) => [check('alerts_level_check', sql`${t.level} in ('critical', 'warning', 'info')`)],
);
export type Alert = typeof alerts.$inferSelect;

/** Written in the transaction that makes the event true. `ownerId` is the owner of its subject, for visibility. */
export const events = pgTable(
  'events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Given by the api, in the order of delivery, once the transaction has ended; null until then. */
    seq: bigint('seq', { mode: 'number' }),
    type: text('type').notNull(),
    ownerId: uuid('owner_id'),
    documentId: uuid('document_id'),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    index('events_created_at_idx').on(t.createdAt),
    uniqueIndex('events_seq_key').on(t.seq),
    index('events_completed_idx')
      .on(t.createdAt, t.ownerId)
      .where(sql`${t.type} = 'ocr_progress' and ${t.data} ->> 'status' = 'completed'`),
    index('events_unnumbered').on(t.id).where(sql`${t.seq} is null`),
  ],
);
