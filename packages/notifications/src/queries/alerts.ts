import type { Db } from '@sheaf/db';
import { and, eq, inArray, isNull, sql } from '@sheaf/db/drizzle';
import { type Alert, alerts, users } from '@sheaf/db/schema';
import { recordEvent } from '@sheaf/events';
import type { AlertLevel } from '@sheaf/vocabulary/events';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import { createNotification } from './notifications.ts';

/** Who is told of what is wrong, and by which ways. */
export interface AlertAudience {
  readonly policy: NotificationPolicy;
  /** Roles of those who look after the whole system. */
  readonly administratorRoles: readonly string[];
}

export interface AlertNews {
  /** What it is about, such as `file_storage` or `source:<id>`. */
  readonly component: string;
  readonly message: string;
  /** Who is told instead of the administrators: the thing is his. */
  readonly ownerId?: string;
}

const findReceivers = async (tx: Db, { administratorRoles }: AlertAudience, ownerId: string | undefined): Promise<string[]> => {
  if (ownerId !== undefined) return [ownerId];
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.role, [...administratorRoles]), isNull(users.disabledAt)));
  return rows.map(({ id }) => id);
};

/** Tells of something that is over already, or has no end. */
export const notifyAlert = async (tx: Db, audience: AlertAudience, level: AlertLevel, news: AlertNews): Promise<void> => {
  const { component, message, ownerId } = news;
  await recordEvent(tx, { type: 'alert', level, component, message }, ownerId ?? null);
  const title = level === 'info' ? 'Resolved' : level === 'critical' ? 'Critical alert' : 'Warning';
  for (const userId of await findReceivers(tx, audience, ownerId))
    await createNotification(tx, audience.policy, { userId, type: 'alert', title, message, data: { component, level } });
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
  const { component, message } = news;
  // a second one who raises it waits here until the first has ended, and then finds his row
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

/** Takes away the alerts of sources that are gone or switched off. */
export const forgetAlertsOfGoneSources = async (db: Db): Promise<void> => {
  await db.execute(sql`
    delete from alerts where component like 'source:%'
      and not exists (select from sources where 'source:' || sources.id = alerts.component and sources.is_enabled)`);
};
