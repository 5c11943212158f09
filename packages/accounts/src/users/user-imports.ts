import { type AppError, codedError, type Secret } from '@sheaf/contract';
import type { UserImportError } from '@sheaf/contract/users';
import { type Cut, type CutRequest, type Db, makeKeyset, type Page, type PageRequest, selectCut, selectPage } from '@sheaf/db';
import { and, asc, eq, isNull, lt, type SQL, sql } from '@sheaf/db/drizzle';
import type { Requester } from '@sheaf/db/requester';
import { type User, type UserImport, userImportEntries, userImports, users } from '@sheaf/db/schema';
import { openSecret, type SealContext, sealSecret, uuidv7 } from '@sheaf/process';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { SortOrder, UserImportSortField } from '@sheaf/vocabulary/sort-fields';

interface UserImportOrder {
  readonly sort: UserImportSortField;
  readonly order: SortOrder;
}

const SORT_KEYS = {
  created_at: { by: userImports.createdAt, type: 'timestamptz' },
  id: { by: userImports.id, type: 'uuid' },
  state: { by: userImports.state, type: 'text' },
  total: { by: userImports.total, type: 'integer' },
  done: { by: userImports.done, type: 'integer' },
  imported: { by: sql`(${userImports.done} - ${userImports.skipped})`, type: 'integer' },
  skipped: { by: userImports.skipped, type: 'integer' },
  error: { by: sql`case when ${userImports.state} = 'failed' then ${userImports.error} end`, type: 'text', mayBeMissing: true },
  error_code: { by: userImports.errorCode, type: 'text', mayBeMissing: true },
  finished_at: { by: userImports.finishedAt, type: 'timestamptz', mayBeMissing: true },
} as const satisfies Record<UserImportSortField, unknown>;

const keysetOf = ({ sort, order }: UserImportOrder) => makeKeyset(order, [SORT_KEYS[sort], { by: userImports.id, type: 'uuid' }]);

/** The imports that somebody may see: their own, and those of everybody for whoever manages users. */
const visibleTo = ({ userId, permissions }: Principal): SQL | undefined =>
  scopeOf(permissions, 'users.update') === 'all' ? undefined : eq(userImports.requestedBy, userId);

const notFound = (id: string): AppError => codedError('NOT_FOUND', 'IMPORT_NOT_FOUND', { import_id: id });

/** Throws IMPORT_NOT_FOUND, also where the import is not the principal's to see. */
export const getUserImport = async (db: Db, principal: Principal, id: string): Promise<UserImport> => {
  const [row] = await db
    .select()
    .from(userImports)
    .where(and(eq(userImports.id, id), visibleTo(principal)));
  if (row === undefined) throw notFound(id);
  return row;
};

/** One page of the imports that the principal may see, and how many there are. */
export const listUserImports = (
  db: Db,
  principal: Principal,
  { page, perPage, ...order }: UserImportOrder & PageRequest,
): Promise<Page<UserImport>> => selectPage(db, userImports, { where: visibleTo(principal), order: keysetOf(order).order, page, perPage });

/** The same behind a position. */
export const listUserImportsAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...order }: UserImportOrder & CutRequest,
): Promise<Cut<UserImport>> => selectCut(db, userImports, { where: visibleTo(principal), keyset: keysetOf(order), after, limit });

/** A process that works on an import writes so more often than this; after it, another one continues. */
const LEASE_SECONDS = 30;
/** An import that was begun so often without a further user is one that ends its process. */
const MAX_ATTEMPTS = 5;
/** Encrypting so many entries takes some milliseconds, in which nothing else is answered. */
const ROWS_AT_ONCE = 500;

const contextOf = (importId: string): SealContext => ({ ownerId: importId, purpose: 'user-import' });
const leaseEnd = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;

/** Why an entry made no user. */
export type UserImportRefusal = Omit<UserImportError, 'index'>;

/** An entry as it was sent, or why it cannot make a user. */
export type GivenEntry = { readonly given: unknown } | { readonly refusal: UserImportRefusal };

export interface UserImportRequest {
  readonly requester: Requester;
  readonly address: string | undefined;
  readonly entries: readonly GivenEntry[];
  readonly secretKey: Secret;
}

/** Stores an import of users; its id. It is done by the process that claims it. */
export const requestUserImport = (db: Db, { requester, address, entries, secretKey }: UserImportRequest): Promise<string> =>
  db.transaction(async (tx) => {
    const importId = uuidv7();
    const done = entries.filter((entry) => 'refusal' in entry).length;
    const isOver = done === entries.length;
    await tx.insert(userImports).values({
      id: importId,
      ...requester,
      address: address ?? null,
      total: entries.length,
      done,
      skipped: done,
      ...(isOver ? { state: 'completed', finishedAt: sql`now()` } : {}),
    });
    for (let from = 0; from < entries.length; from += ROWS_AT_ONCE)
      await tx.insert(userImportEntries).values(
        entries.slice(from, from + ROWS_AT_ONCE).map((entry, offset) => ({
          importId,
          position: from + offset,
          sealed: 'given' in entry ? sealSecret(Buffer.from(JSON.stringify(entry.given)), secretKey, contextOf(importId)) : null,
          refusal: 'refusal' in entry ? JSON.stringify(entry.refusal) : null,
        })),
      );
    return importId;
  });

const WAITING = sql`${userImports.finishedAt} is null and (${userImports.leaseUntil} is null or ${userImports.leaseUntil} < now())`;

const endOf = (state: 'completed' | 'failed') => ({ state, leaseUntil: null, finishedAt: sql`now()` }) as const;

/** What an import that is over must not keep. */
const dropSealed = async (tx: Db, importId: string): Promise<void> => {
  await tx.update(userImportEntries).set({ sealed: null }).where(eq(userImportEntries.importId, importId));
};

/**
 * Takes the import whose last turn is longest ago, for as long as entries are settled. One that was begun too often without a further
 * user fails. Undefined where none waits.
 */
export const claimUserImport = async (db: Db): Promise<UserImport | undefined> => {
  for (;;) {
    const [waiting] = await db.select().from(userImports).where(WAITING).orderBy(asc(userImports.lastTurnAt), userImports.id).limit(1);
    if (waiting === undefined) return undefined;
    if (waiting.attempts >= MAX_ATTEMPTS) {
      await failUserImport(db, waiting, { message: waiting.error ?? `Its process ended ${MAX_ATTEMPTS} times`, reason: undefined });
      continue;
    }
    const [claimed] = await db
      .update(userImports)
      .set({
        state: 'running',
        leaseUntil: leaseEnd,
        lastTurnAt: sql`clock_timestamp()`,
        fence: sql`fence + 1`,
        attempts: sql`attempts + 1`,
      })
      .where(and(isIt(waiting), WAITING))
      .returning();
    if (claimed !== undefined) return claimed;
  }
};

/** An import as the process knows it that has claimed it. */
export type HeldUserImport = Pick<UserImport, 'id' | 'fence'>;

const isIt = ({ id, fence }: HeldUserImport) => and(eq(userImports.id, id), eq(userImports.fence, fence), isNull(userImports.finishedAt));

/** Another process has the import, or it is over. */
export class UserImportLost extends Error {
  override readonly name = 'UserImportLost';
}

/** The next entries; `given` is undefined where it cannot be decrypted, because APP_SECRET_KEY was another one. */
export const readNextEntries = async (
  db: Db,
  importId: string,
  limit: number,
  secretKey: Secret,
): Promise<readonly { readonly position: number; readonly given: unknown }[]> => {
  const rows = await db
    .select({ position: userImportEntries.position, sealed: userImportEntries.sealed })
    .from(userImportEntries)
    .where(and(eq(userImportEntries.importId, importId), sql`${userImportEntries.sealed} is not null`))
    .orderBy(asc(userImportEntries.position))
    .limit(limit);
  return rows.map(({ position, sealed }) => {
    const bytes = sealed === null ? undefined : openSecret(sealed, secretKey, contextOf(importId));
    return { position, given: bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown) };
  });
};

/** Writes down what became of an entry, in the transaction that makes its user. Throws UserImportLost where the import is held no more. */
export const settleEntry = async (
  tx: Db,
  held: HeldUserImport,
  position: number,
  outcome: { readonly userId: string } | { readonly refusal: UserImportRefusal },
): Promise<void> => {
  const [row] = await tx
    .update(userImports)
    .set({
      done: sql`done + 1`,
      ...('refusal' in outcome ? { skipped: sql`skipped + 1` } : {}),
      attempts: 0,
      error: null,
      leaseUntil: sql`case when done + 1 < total then ${leaseEnd} end`,
      state: sql`case when done + 1 < total then state else 'completed' end`,
      finishedAt: sql`case when done + 1 < total then null else now() end`,
    })
    .where(isIt(held))
    .returning({ id: userImports.id });
  if (row === undefined) throw new UserImportLost();
  const settled = await tx
    .update(userImportEntries)
    .set({
      sealed: null,
      userId: 'userId' in outcome ? outcome.userId : null,
      refusal: 'refusal' in outcome ? JSON.stringify(outcome.refusal) : null,
    })
    .where(
      and(eq(userImportEntries.importId, held.id), eq(userImportEntries.position, position), sql`${userImportEntries.sealed} is not null`),
    )
    .returning({ position: userImportEntries.position });
  if (settled.length === 0) throw new UserImportLost();
};

/** Lets the next import, or another process, have its turn. */
export const releaseUserImport = async (db: Db, held: HeldUserImport, problem: string | null): Promise<void> => {
  await db
    .update(userImports)
    .set({ leaseUntil: null, ...(problem === null ? {} : { error: problem }) })
    .where(isIt(held));
};

/** Ends an import before its end; the users that it made stay. */
export const failUserImport = (
  db: Db,
  held: HeldUserImport,
  { message, reason }: { readonly message: string; readonly reason: UserImport['errorCode'] | undefined },
): Promise<void> =>
  db.transaction(async (tx) => {
    const [row] = await tx
      .update(userImports)
      .set({ ...endOf('failed'), error: message, errorCode: reason ?? null })
      .where(isIt(held))
      .returning({ id: userImports.id });
    if (row !== undefined) await dropSealed(tx, row.id);
  });

/** What was skipped, in the order of the list. */
export const readUserImportErrors = async (db: Db, importId: string): Promise<UserImportError[]> => {
  const rows = await db
    .select({ position: userImportEntries.position, refusal: userImportEntries.refusal })
    .from(userImportEntries)
    .where(and(eq(userImportEntries.importId, importId), sql`${userImportEntries.refusal} is not null`))
    .orderBy(asc(userImportEntries.position));
  return rows.map(({ position, refusal }) => ({ index: position, ...(JSON.parse(refusal ?? '{}') as UserImportRefusal) }));
};

/** The users that an import made who have set no password yet and may sign in with one, locked. */
export const lockUsersToInvite = (tx: Db, importId: string): Promise<{ readonly position: number; readonly user: User }[]> =>
  tx
    .select({ position: userImportEntries.position, user: users })
    .from(userImportEntries)
    .innerJoin(users, eq(users.id, userImportEntries.userId))
    .where(
      and(eq(userImportEntries.importId, importId), isNull(users.passwordHash), isNull(users.disabledAt), eq(users.authMethod, 'local')),
    )
    .orderBy(asc(userImportEntries.position))
    .for('update', { of: users });

/** Forgets the results of imports that ended before `date`; the users stay. */
export const deleteUserImportsBefore = async (db: Db, date: Date): Promise<void> => {
  await db.delete(userImports).where(lt(userImports.finishedAt, date));
};
