import { check, index, pgTable, sql, text } from '../drizzle.ts';
import { timestamptz } from './columns.ts';

/** What was found when a stored original was last read again; no finding: its bytes have this hash. */
export const storedFileChecks = pgTable(
  'stored_file_checks',
  {
    sha256: text('sha256').primaryKey(),
    checkedAt: timestamptz('checked_at').notNull(),
    finding: text('finding', { enum: ['missing', 'changed', 'unreadable'] }),
    foundAt: timestamptz('found_at'),
  },
  (t) => [
    check('stored_file_checks_sha256_check', sql`${t.sha256} ~ '^[0-9a-f]{64}$'`),
    check('stored_file_checks_finding_check', sql`${t.finding} in ('missing', 'changed', 'unreadable')`),
    check('stored_file_checks_check', sql`(${t.foundAt} is null) = (${t.finding} is null)`),
    index('stored_file_checks_oldest').on(t.checkedAt),
    index('stored_file_checks_findings').on(t.foundAt).where(sql`${t.finding} is not null`),
  ],
);
export type StoredFileCheck = typeof storedFileChecks.$inferSelect;
