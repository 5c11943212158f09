import { randomUUID } from 'node:crypto';
import type { RuleAction } from '@sheaf/contract/rules';
import type { SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { eq } from '@sheaf/db/drizzle';
import { correspondents, documents, documentTypes, type Rule, rules, type User } from '@sheaf/db/schema';
import type { Logger } from '@sheaf/process';
import { silentLogger } from '@sheaf/process';
import { applyDueRules, RULES_DUE } from '@sheaf/rules';
import { givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import { BUILT_IN_ROLES, type ConfiguredRoles, type Role } from '@sheaf/vocabulary/permissions';
import { givenLabel, openLibrary } from '../search/library.ts';

/** Beside the built-in ones a role that may do everything to its users' own documents alone. */
export const ROLES: ConfiguredRoles = {
  permissions: { ...BUILT_IN_ROLES, own: ['documents.read.own', 'documents.update.own', 'labels.*'] },
  areFromFile: true,
};

interface GivenRule {
  readonly by?: User;
  readonly name?: string;
  readonly query?: string;
  readonly filters?: SearchFilters;
  readonly actions: readonly RuleAction[];
  readonly position?: number;
  readonly isEnabled?: boolean;
}

/** As the worker does in the statement that completes a document. */
export const markRulesDue = async (db: Db, id: string): Promise<void> => {
  await db.update(documents).set(RULES_DUE.set).where(eq(documents.id, id)).returning(RULES_DUE.returned);
};

/** A library with an administrator, and rules in it. */
export const openRuleBench = async () => {
  const database = await openTestDatabase();
  const { db, pool } = database;
  const library = await openLibrary(db);
  let places = 0;
  return {
    ...library,
    db,
    pool,
    principal: principalOf(library.owner),
    label: (name: string) => givenLabel(db, name),
    correspondent: async (name: string): Promise<string> => {
      const id = randomUUID();
      await db.insert(correspondents).values({ id, name, createdBy: library.owner.id });
      return id;
    },
    documentType: async (name: string): Promise<string> => {
      const id = randomUUID();
      await db.insert(documentTypes).values({ id, name, createdBy: library.owner.id });
      return id;
    },
    userOf: (role: string): Promise<User> => givenUser(db, { role: role as Role }),
    rule: async ({ by = library.owner, name = 'a rule', query = 'invoice', ...fields }: GivenRule): Promise<Rule> => {
      places += 1;
      const [rule] = await db
        .insert(rules)
        .values({ id: randomUUID(), createdBy: by.id, name, query, position: places, ...fields })
        .returning();
      if (rule === undefined) throw new Error('insert returned no row');
      return rule;
    },
    /** As the worker does after a document was processed. */
    process: async (documentIds: readonly string[], log: Logger = silentLogger()): Promise<void> => {
      for (const id of documentIds) await markRulesDue(db, id);
      while (await applyDueRules({ db, roles: ROLES, log }));
    },
    stateOf: async (id: string) => {
      const { rows } = await pool.query<{ correspondent: string | null; type: string | null; labels: string[]; due: boolean }>(
        `select correspondent_key as correspondent, document_type_key as type, rules_due_at is not null as due, array(
           select name from labels join document_labels on label_id = labels.id where document_id = documents.id order by name) as labels
         from documents where id = $1`,
        [id],
      );
      return rows[0];
    },
    /** What is recorded about a document, oldest first. */
    changesOf: async (id: string) => {
      const { rows } = await pool.query<{ rule_name: string; field: string; from: string | null; to: string; undone: boolean }>(
        `select rule_name, field, from_value ->> 'name' as from, to_value ->> 'name' as to, undone_at is not null as undone
         from rule_changes where document_id = $1 order by changed_at, field, to_value ->> 'name'`,
        [id],
      );
      return rows;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
};
