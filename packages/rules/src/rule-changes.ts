import type { Db } from '@sheaf/db';
import { desc, eq } from '@sheaf/db/drizzle';
import { type RuleChange, ruleChanges } from '@sheaf/db/schema';
import { MAX_RULE_CHANGES_SHOWN } from '@sheaf/vocabulary/limits';

/** What rules have changed about a document, the newest first. Whoever calls it has found that it may be read. */
export const listRuleChanges = (db: Db, documentId: string): Promise<RuleChange[]> =>
  db
    .select()
    .from(ruleChanges)
    .where(eq(ruleChanges.documentId, documentId))
    .orderBy(desc(ruleChanges.changedAt), desc(ruleChanges.id))
    .limit(MAX_RULE_CHANGES_SHOWN);
