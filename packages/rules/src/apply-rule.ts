import type { DryRunBody, RuleDraft } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import type { Rule } from '@sheaf/db/schema';
import { findMatching } from '@sheaf/search';
import { MAX_BULK_DOCUMENTS, MAX_RULE_CHANGES_SHOWN } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { lockStates, readStates } from './document-states.ts';
import { fieldIdsOf } from './field-states.ts';
import { withoutImpossibleOwners } from './owners.ts';
import { planChanges } from './plan-changes.ts';
import { findTargets } from './rule-targets.ts';
import { writeChanges } from './write-changes.ts';

/** How much one request looks at or changes, and in which parts. */
export interface RunLimits {
  readonly most: number;
  /** Documents of one transaction. */
  readonly batch: number;
  readonly signal?: AbortSignal;
}

const DRY_RUN_LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 1_000 };
const APPLY_LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 100 };
/** Ids alone are short. */
const COUNT_BATCH = 10_000;

type Condition = Pick<RuleDraft, 'query' | 'filters'>;

/** How many documents match behind `after`. */
const countBehind = async (
  db: Db,
  principal: Principal,
  { query, filters }: Condition,
  start: string | undefined,
  signal?: AbortSignal,
) => {
  let count = 0;
  for (let after = start; ; ) {
    signal?.throwIfAborted();
    const ids = await findMatching(db, principal, { query, filters, after, limit: COUNT_BATCH });
    count += ids.length;
    if (ids.length < COUNT_BATCH) return count;
    after = ids.at(-1);
  }
};

type Sample = DryRunBody['changes'];

/** What the rule would change now, of the first `most` documents that match. Changes nothing. */
export const dryRun = async (db: Db, principal: Principal, rule: RuleDraft, limits: Partial<RunLimits> = {}): Promise<DryRunBody> => {
  const { most, batch, signal } = { ...DRY_RUN_LIMITS, ...limits };
  const { query, filters } = rule;
  const targets = await findTargets(db, principal, rule.actions);
  const changes: Sample = [];
  let [matched, wouldChange] = [0, 0];
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    const limit = Math.min(batch, most - matched);
    const ids = await findMatching(db, principal, { query, filters, after, limit });
    matched += ids.length;
    after = ids.at(-1) ?? after;
    const states = await readStates(db, principal, ids, fieldIdsOf(rule.actions));
    const planned = states.map((document) => ({ document, changes: planChanges(document, targets) }));
    for (const { document, changes: own } of await withoutImpossibleOwners(db, planned)) {
      if (own.length > 0) wouldChange += 1;
      const room = MAX_RULE_CHANGES_SHOWN - changes.length;
      changes.push(...own.slice(0, room).map((change) => ({ document_id: document.id, title: document.title, ...change })));
    }
    if (ids.length < limit || matched === most) {
      const rest = matched < most ? 0 : await countBehind(db, principal, rule, after, signal);
      return { matched: matched + rest, would_change: wouldChange, is_lower_bound: rest > 0, changes };
    }
  }
};

export interface Applied {
  readonly matched: number;
  /** Documents. */
  readonly changed: number;
  /** Documents that match and were not looked at. */
  readonly remaining: number;
}

/**
 * Applies a rule to the documents that match now, each part in a transaction of its own, until `most` are changed. What is
 * aborted stays as far as it came.
 */
export const applyRule = async (db: Db, principal: Principal, rule: Rule, limits: Partial<RunLimits> = {}): Promise<Applied> => {
  const { most, batch, signal } = { ...APPLY_LIMITS, ...limits };
  const { query, filters } = rule;
  let [matched, changed] = [0, 0];
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    if (changed + batch > most) {
      const remaining = await countBehind(db, principal, rule, after, signal);
      return { matched: matched + remaining, changed, remaining };
    }
    const part = await db.transaction(async (tx) => {
      const ids = await findMatching(tx, principal, { query, filters, after, limit: batch });
      const states = await lockStates(tx, principal, ids, fieldIdsOf(rule.actions));
      const targets = await findTargets(tx, principal, rule.actions);
      const planned = states.map((document) => ({ document, changes: planChanges(document, targets) }));
      return { ids, changed: await writeChanges(tx, rule, planned) };
    });
    matched += part.ids.length;
    changed += part.changed;
    after = part.ids.at(-1) ?? after;
    if (part.ids.length < batch) return { matched, changed, remaining: 0 };
  }
};
