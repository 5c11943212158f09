import { uuidv7 } from '@sheaf/runtime';
import type { Db } from '../client.ts';
import { notifications } from '../schema/notifications.ts';
import { recordEvent } from './events.ts';

export interface NewNotification {
  readonly userId: string;
  readonly type: string;
  readonly title: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Tells a user something, with its event. Pass the transaction that makes it true. */
export const createNotification = async (tx: Db, { data = {}, ...fields }: NewNotification): Promise<void> => {
  const id = uuidv7();
  await tx.insert(notifications).values({ id, ...fields, data });
  await recordEvent(tx, { type: 'notification', id, title: fields.title, message: fields.message }, fields.userId);
};
