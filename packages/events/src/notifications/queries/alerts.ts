import type { ServiceProblem } from '@sheaf/contract/operations';
import { type Db, readRoles } from '@sheaf/db';
import { and, eq, inArray, isNull, sql } from '@sheaf/db/drizzle';
import { type Alert, alerts, users } from '@sheaf/db/schema';
import type { AlertLevel } from '@sheaf/vocabulary/events';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import { type ConfiguredRoles, rolesForAll } from '@sheaf/vocabulary/permissions';
import { recordEvent } from '../../index.ts';
import { createNotification } from './notifications.ts';

/** Who is told of what is wrong, and by which ways. */
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
  /** Who is told instead of the administrators: the thing is his. */
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
