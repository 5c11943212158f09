import { firstAfter, notBefore } from '@sheaf/contract';
import type { auditExportQuery } from '@sheaf/contract/users';
import type { z } from 'zod';

/** Which entries are asked for. */
export const auditFilterOf = (query: z.infer<typeof auditExportQuery>) => ({
  action: query.action,
  actorId: query.actor_id,
  outcome: query.outcome,
  from: query.date_from === undefined ? undefined : notBefore(query.date_from),
  before: query.date_to === undefined ? undefined : firstAfter(query.date_to),
});
