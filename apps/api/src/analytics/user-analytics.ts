import { readUserFigures } from '@sheaf/accounts/users';
import type { UserAnalyticsBody } from '@sheaf/contract/operations';
import type { Reach } from '@sheaf/db';
import type { KeptReading } from './analytics-services.ts';
import { keepFigures } from './kept-figures.ts';

/** Figures about all users; what they have counts as far as it is within `reach`. */
export const userAnalytics = ({ cache, db, clock }: KeptReading, reach: Reach): Promise<UserAnalyticsBody> =>
  keepFigures(cache, 'users', reach, async () => {
    const figures = await readUserFigures(db, reach, clock.now());
    return {
      total: figures.total,
      active_day: figures.activeDay,
      active_week: figures.activeWeek,
      active_month: figures.activeMonth,
      by_role: figures.byRole,
      top_uploaders: figures.topUploaders.map(({ userId, username, documents, bytes }) => ({
        user_id: userId,
        username,
        documents,
        bytes,
      })),
    };
  });
