import { AUDIT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { moment } from '../moment.ts';
import { pageQuery, rowId, sortQuery } from '../page.ts';

export const auditQuery = pageQuery.extend({
  action: z
    .string()
    .regex(/^[a-z_.]{1,100}$/, 'must be an action, such as sign_in or user.role_changed')
    .optional(),
  actor_id: rowId.optional(),
  outcome: z.enum(['success', 'failure']).optional(),
  ...sortQuery(AUDIT_SORT_FIELDS, { sort: 'created_at', order: 'desc' }),
  date_from: moment.optional().describe('At or after this time; a date is the start of the day in UTC'),
  date_to: moment.optional().describe('At or before this time; a date is the end of the day in UTC'),
});

/** As the list, all of it at once. */
export const auditExportQuery = auditQuery.omit({ page: true, per_page: true, sort: true, order: true });

export const auditEntryBody = z
  .strictObject({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    actor: z
      .strictObject({ id: z.uuid().nullable(), username: z.string().nullable() })
      .describe('User who performed the action; null if unknown. The name is kept when the user is deleted'),
    address: z.string().nullable(),
    action: z.string(),
    outcome: z.enum(['success', 'failure']),
    subject: z.strictObject({ type: z.string(), id: z.string() }).nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryBody = z.infer<typeof auditEntryBody>;
