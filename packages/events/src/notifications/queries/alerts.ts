import { type AppError, codedError, storableJson, storableText } from '@sheaf/contract';
import type { ServiceProblem } from '@sheaf/contract/operations';
import {
  type Cut,
  type CutRequest,
  type Db,
  makeKeyset,
  notificationsFor,
  type Page,
  type PageRequest,
  readRoles,
  selectCut,
  selectPage,
} from '@sheaf/db';
import { and, count, eq, inArray, isNull, lt, type SQL, sql } from '@sheaf/db/drizzle';
import { type Alert, alerts, type Notification, notifications, users } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import type { AlertLevel, SheafEvent } from '@sheaf/vocabulary/events';
import type { NotificationPolicy, NotificationType } from '@sheaf/vocabulary/notifications';
import { type ConfiguredRoles, type Principal, rolesForAll } from '@sheaf/vocabulary/permissions';
import type { NotificationSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';
import { recordEvent, recordEvents } from '../../index.ts';
import { type NewDelivery, queueDeliveries } from './deliveries.ts';

/** Who is notified of what is wrong, and by which ways. */
export interface AlertAudience {
  readonly policy: NotificationPolicy;
  /** Told are those whose role may read the state of the whole system. */
  readonly roles: ConfiguredRoles;
}

export interface AlertNews {
  /** What it is about, such as `file_storage` or `source:<id>`. */
  readonly component: string;
  /** What is wrong, or right again. */
  readonly problems: readonly ServiceProblem[];
  /** Who is told instead of the administrators: the thing is theirs. */
  readonly ownerId?: string;
}

const messageOf = ({ problems }: Pick<AlertNews, 'problems'>): string => problems.map(({ message }) => message).join('; ');

const findReceivers = async (tx: Db, { roles }: AlertAudience, ownerId: string | undefined): Promise<string[]> => {
  if (ownerId !== undefined) return [ownerId];
  const administratorRoles = rolesForAll(await readRoles(tx, roles), 'system.read');
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.role, administratorRoles), isNull(users.disabledAt)));
  return rows.map(({ id }) => id);
};

/** Tells of something that is over already, or has no end. */
export const notifyAlert = async (tx: Db, audience: AlertAudience, level: AlertLevel, news: AlertNews): Promise<void> => {
  const { component, problems, ownerId } = news;
  const message = messageOf(news);
  await recordEvent(tx, { type: 'alert', level, component, message, problems }, ownerId ?? null);
  const title = level === 'info' ? 'Resolved' : level === 'critical' ? 'Critical alert' : 'Warning';
  for (const userId of await findReceivers(tx, audience, ownerId))
    await createNotification(tx, audience.policy, { userId, type: 'alert', title, message, data: { component, level, problems } });
};

/**
 * Notes that something is wrong, and tells of it when that is new or was less bad. Returns whether it told. Pass the transaction
 * that makes it true.
 */
export const raiseAlert = async (
  tx: Db,
  audience: AlertAudience,
  { level, ...news }: AlertNews & { readonly level: Exclude<AlertLevel, 'info'> },
): Promise<boolean> => {
  const { component } = news;
  const message = messageOf(news);
  // a second one who raises it waits here until the first has ended, and then finds their row
  const { rowCount } = await tx.insert(alerts).values({ component, level, message }).onConflictDoNothing();
  const isNew = rowCount === 1;
  if (!isNew && !(await renewAlert(tx, component, { level, message }))) return false;
  await notifyAlert(tx, audience, level, news);
  return true;
};

/** Returns whether it was less bad until now. */
const renewAlert = async (tx: Db, component: string, now: Pick<Alert, 'level' | 'message'>): Promise<boolean> => {
  const isIt = eq(alerts.component, component);
  const [before] = await tx.select({ level: alerts.level }).from(alerts).where(isIt).for('update');
  const raisedAt = before?.level === now.level ? {} : { raisedAt: sql`now()` };
  await tx
    .update(alerts)
    .set({ ...now, ...raisedAt })
    .where(isIt);
  return before?.level === 'warning' && now.level === 'critical';
};

/** Notes that it is right again, and tells so where it was wrong. Returns whether it was. */
export const clearAlert = async (tx: Db, audience: AlertAudience, news: AlertNews): Promise<boolean> => {
  if (!(await forgetAlert(tx, news.component))) return false;
  await notifyAlert(tx, audience, 'info', news);
  return true;
};

/** Takes an alert away without a word: what it was about is gone. Returns whether there was one. */
export const forgetAlert = async (tx: Db, component: string): Promise<boolean> =>
  ((await tx.delete(alerts).where(eq(alerts.component, component))).rowCount ?? 0) > 0;

/** What is wrong now, by component. */
export const listAlerts = (db: Db): Promise<Alert[]> => db.select().from(alerts).orderBy(alerts.component);

/** Takes away the alerts of sources that are gone or disabled. */
export const forgetAlertsOfGoneSources = async (db: Db): Promise<void> => {
  await db.execute(sql`
    delete from alerts where component like 'source:%'
      and not exists (select from sources where 'source:' || sources.id = alerts.component and sources.is_enabled)`);
};

export interface NewNotification {
  readonly userId: string;
  readonly type: NotificationType;
  readonly title: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** The title for `count` of them: those of a short time are one notification then, and a pile of files does not bury the rest. */
  readonly folded?: (count: number) => string;
  /** It is added only to those whose `data` has the same value in `field`, and which are younger than `withinMs`. */
  readonly foldedWith?: { readonly field: string; readonly withinMs: number };
  /** What a folded notification names as the most recent; the message where nothing is given. */
  readonly recent?: string;
  /** Where mail goes; the user's own address where none is given. */
  readonly email?: string;
}

/** So long an unread notification takes up more of its kind. */
const FOLDING_MS = 5 * 60_000;
/** Of those that a folded notification names. */
const MAX_FOLDED_IDS = 100;

/** Who is told, and the unread notification that this one is added to, if there is one. */
interface Receiver {
  readonly email: string;
  readonly present: Pick<Notification, 'id' | 'data'> | undefined;
}

interface ReceiverRow extends Record<string, unknown> {
  readonly email: string;
  readonly is_wanted: boolean | null;
  readonly id: string | null;
  readonly data: Notification['data'] | null;
}

/** An unread one of its kind that is young enough, locked. */
const presentOf = ({ userId, type, data = {}, folded, foldedWith }: NewNotification, now: Date): SQL => {
  if (folded === undefined) return sql`select null::uuid as id, null::jsonb as data where false`;
  const since = new Date(now.getTime() - (foldedWith?.withinMs ?? FOLDING_MS)).toISOString();
  const alike = foldedWith === undefined ? sql`` : sql`and data ->> ${foldedWith.field} = ${String(data[foldedWith.field])}`;
  return sql`
    select id, data from notifications
    where user_id = ${userId} and type = ${type} and read_at is null and created_at > ${since}::timestamptz ${alike}
    order by created_at desc limit 1 for update`;
};

/** Undefined for a user who does not want to be told, or is gone. */
const findReceiver = async (tx: Db, given: NewNotification, now: Date): Promise<Receiver | undefined> => {
  const { rows } = await tx.execute<ReceiverRow>(sql`
    with present as (${presentOf(given, now)})
    select users.email, user_settings.notifications_enabled as is_wanted, present.id, present.data
    from users left join user_settings on user_settings.user_id = users.id left join present on true
    where users.id = ${given.userId}`);
  const [row] = rows;
  if (row === undefined || (row.is_wanted === false && given.type !== 'security')) return undefined;
  return { email: row.email, present: row.id === null || row.data === null ? undefined : { id: row.id, data: row.data } };
};

interface Written {
  readonly id: string;
  readonly isNew: boolean;
  /** What is reported of it beside the notification itself. */
  readonly events: readonly SheafEvent[];
}

type NotificationData = Readonly<Record<string, unknown>>;

const countOf = ({ count: counted }: NotificationData): number => (typeof counted === 'number' ? counted : 1);

const documentIdsOf = ({ document_ids: ids, document_id: id }: NotificationData): readonly unknown[] =>
  [ids ?? id].flat().filter((one) => one !== undefined);

/** Adds it to `present`. */
const fold = async (tx: Db, given: NewNotification, { id, data: before }: NonNullable<Receiver['present']>): Promise<Written> => {
  const { message, data = {}, folded, recent = message } = given;
  const count = countOf(before) + countOf(data);
  const ids = [...documentIdsOf(before), ...documentIdsOf(data)];
  const [title, text] = [folded?.(count) ?? given.title, `Most recent: ${recent}`];
  const all = { ...data, count, document_ids: ids.slice(-MAX_FOLDED_IDS) };
  await tx.update(notifications).set({ title, message: text, data: all }).where(eq(notifications.id, id));
  return { id, isNew: false, events: [{ type: 'notification_updated', id, read: false, title, message: text, count }] };
};

const write = async (tx: Db, { userId, type, title, message, data = {} }: NewNotification, createdAt: Date): Promise<Written> => {
  const id = uuidv7();
  await tx.insert(notifications).values({ id, userId, type, title, message, data, createdAt });
  return { id, isNew: true, events: [] };
};

/**
 * Tells a user something: the notification, its event, and what has to leave for it by mail and webhook. Pass the transaction
 * that makes it true. Does nothing where the operator or the user wants no notifications; of security users are always told. One
 * that is added to another in the list is no mail of its own. Programs get each one: its event names the stored notification, and its own
 * title, message and document; its webhook has an id of its own as well, by which receivers tell repeated ones. `earlier` are events of
 * the same transaction that are recorded with it, before its own, whoever is told.
 */
export const createNotification = async (
  tx: Db,
  policy: NotificationPolicy,
  given: NewNotification,
  earlier: Parameters<typeof recordEvents>[1] = [],
): Promise<void> => {
  if (!policy.enabled) return recordEvents(tx, earlier);
  const wanted = { ...given, title: storableText(given.title), message: storableText(given.message), data: storableJson(given.data ?? {}) };
  const now = new Date();
  const receiver = await findReceiver(tx, wanted, now);
  if (receiver === undefined) return recordEvents(tx, earlier);
  const { userId, type, title, message, data, email = receiver.email } = wanted;
  const { present } = receiver;
  const { id, isNew, events } = present === undefined ? await write(tx, wanted, now) : await fold(tx, wanted, present);
  const about = typeof data['document_id'] === 'string' ? { document_id: data['document_id'] } : {};
  const own: readonly SheafEvent[] = [...events, { type: 'notification', id, kind: type, title, message, ...about }];
  await recordEvents(tx, [...earlier, ...own.map((event) => ({ event, ownerId: userId }))]);
  const leaving: Pick<NewDelivery, 'channel' | 'recipient'>[] = [
    ...(isNew && policy.emailTypes.has(type) ? [{ channel: 'email' as const, recipient: email }] : []),
    ...(policy.webhook ? [{ channel: 'webhook' as const, recipient: null }] : []),
  ];
  if (leaving.length === 0) return;
  const payload = {
    type,
    timestamp: now.toISOString(),
    data: { ...data, id: isNew ? id : uuidv7(), notification_id: id, user_id: userId, title, message },
  };
  await queueDeliveries(
    tx,
    leaving.map((way) => ({ notificationId: id, payload, ...way })),
  );
};

interface NotificationFilter {
  readonly unreadOnly: boolean;
  readonly sort: NotificationSortField;
  readonly order: SortOrder;
}

interface NotificationListRequest extends NotificationFilter, PageRequest {}

const SORT_KEYS = {
  created_at: { by: notifications.createdAt, type: 'timestamptz' },
  type: { by: notifications.type, type: 'text' },
  id: { by: notifications.id, type: 'uuid' },
  title: { by: notifications.title, type: 'text' },
  message: { by: notifications.message, type: 'text' },
  read: { by: sql`(${notifications.readAt} is not null)`, type: 'boolean' },
} as const satisfies Record<NotificationSortField, unknown>;

const keysetOf = ({ sort, order }: NotificationFilter) => makeKeyset(order, [SORT_KEYS[sort], { by: notifications.id, type: 'uuid' }]);

const notificationsThat = (principal: Principal, { unreadOnly }: Pick<NotificationFilter, 'unreadOnly'>): SQL | undefined =>
  and(notificationsFor(principal), unreadOnly ? isNull(notifications.readAt) : undefined);

/** One page of the caller's notifications, how many there are, and how many of all they have not read. */
export const listNotifications = async (
  db: Db,
  principal: Principal,
  { page, perPage, ...filter }: NotificationListRequest,
): Promise<Page<Notification> & { unread: number }> => {
  const [found, unread] = await Promise.all([
    selectPage(db, notifications, { where: notificationsThat(principal, filter), order: keysetOf(filter).order, page, perPage }),
    countUnread(db, principal),
  ]);
  return { ...found, unread };
};

/** How many of the caller's notifications they have not read. */
export const countUnread = async (db: Db, principal: Principal): Promise<number> =>
  (
    await db
      .select({ total: count() })
      .from(notifications)
      .where(notificationsThat(principal, { unreadOnly: true }))
  )[0]?.total ?? 0;

/** The caller's notifications behind `after`, at most `limit`. */
export const listNotificationsAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...filter }: CutRequest & NotificationFilter,
): Promise<Cut<Notification>> =>
  selectCut(db, notifications, { where: notificationsThat(principal, filter), keyset: keysetOf(filter), after, limit });

const notFound = (): AppError => codedError('NOT_FOUND', 'NOTIFICATION_NOT_FOUND');

/** Marks one of the caller's notifications as read; read ones stay as they are. Throws NOTIFICATION_NOT_FOUND. */
export const readNotification = (db: Db, principal: Principal, id: string): Promise<Notification> =>
  db.transaction(async (tx) => {
    const isThis = and(eq(notifications.id, id), notificationsFor(principal));
    const [row] = await tx.select().from(notifications).where(isThis).for('update');
    if (row === undefined) throw notFound();
    if (row.readAt !== null) return row;
    const readAt = new Date();
    await tx.update(notifications).set({ readAt }).where(isThis);
    await recordEvent(tx, { type: 'notification_updated', id, read: true }, row.userId);
    return { ...row, readAt };
  });

/** Marks all of the caller's as read; returns how many were not. */
export const readAllNotifications = (db: Db, principal: Principal): Promise<number> =>
  db.transaction(async (tx) => {
    const { rowCount } = await tx
      .update(notifications)
      .set({ readAt: sql`now()` })
      .where(and(notificationsFor(principal), isNull(notifications.readAt)));
    const read = rowCount ?? 0;
    if (read > 0) await recordEvent(tx, { type: 'notification_updated', id: null, read: true }, principal.userId);
    return read;
  });

/** Throws NOTIFICATION_NOT_FOUND. */
export const deleteNotification = (db: Db, principal: Principal, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { rowCount } = await tx.delete(notifications).where(and(eq(notifications.id, id), notificationsFor(principal)));
    if ((rowCount ?? 0) === 0) throw notFound();
    await recordEvent(tx, { type: 'notification_deleted', id }, principal.userId);
  });

/** Forgets notifications that were read and are older than `before`; returns how many. Unread ones stay until they are read. */
export const deleteReadNotificationsBefore = async (db: Db, before: Date): Promise<number> =>
  (await db.delete(notifications).where(and(lt(notifications.createdAt, before), sql`${notifications.readAt} is not null`))).rowCount ?? 0;
