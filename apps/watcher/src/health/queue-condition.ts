import { type Db, readQueueStandstill } from '@sheaf/db';
import type { Condition } from './condition.ts';

/** The longest document that is read in one go takes its time; the queue moves all the same, as others are read beside it. */
const STANDSTILL_MS = 10 * 60_000;

/** Documents wait and nothing is read. */
export const findQueueCondition = async (db: Db, limitMs: number = STANDSTILL_MS): Promise<Condition[]> => {
  const standstill = await readQueueStandstill(db);
  if (standstill === undefined || standstill.sinceMs < limitMs) return [];
  const minutes = Math.floor(standstill.sinceMs / 60_000);
  const message = `${standstill.waiting} documents are pending, but none was processed for ${minutes} minutes. Check whether an ocr-worker is running, and its log.`;
  return [{ component: 'ocr_queue', level: 'critical', message }];
};
