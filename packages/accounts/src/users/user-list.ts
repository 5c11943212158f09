import { type AppError, codedError, storableText } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  makeKeyset,
  ownedBy,
  type Page,
  type PageRequest,
  type Reach,
  selectCut,
  selectPage,
  within,
} from '@sheaf/db';
import { and, count, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents, roles, type User, users } from '@sheaf/db/schema';
import { TOP_UPLOADERS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { UserSortField } from '@sheaf/vocabulary/sort-fields';
import { hasMfa, lastSignInAt } from './users.ts';

/** Who was active at least so long ago, in days. */
const ACTIVE_DAYS = { day: 1, week: 7, month: 30 } as const;

export interface UserFigures {
  readonly total: number;
  readonly activeDay: number;
  readonly activeWeek: number;
  readonly activeMonth: number;
  readonly byRole: Readonly<Record<string, number>>;
  readonly topUploaders: readonly {
    readonly userId: string;
    readonly username: string;
    readonly documents: number;
    readonly bytes: number;
  }[];
}

interface FiguresRow extends Record<string, unknown> {
  readonly total: number;
  readonly active_day: number;
  readonly active_week: number;
  readonly active_month: number;
  readonly roles: Record<string, number> | null;
  readonly uploaders: { user_id: string; username: string; documents: number; bytes: number }[] | null;
}

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

/**
 * Figures about all users; what they have counts as far as it is within `reach`. Who was active is told by sessions and keys, and by the
 * audit log for sessions that are gone by now, or are not kept in the database.
 */
export const readUserFigures = async (db: Db, reach: Reach, now: Date): Promise<UserFigures> => {
  const [day, week, month] = [ACTIVE_DAYS.day, ACTIVE_DAYS.week, ACTIVE_DAYS.month].map((days) => daysBefore(now, days));
  const { rows } = await db.execute<FiguresRow>(sql`
    with seen as (
      select user_id, max(last_seen_at) as at from sessions where last_seen_at >= ${month} group by user_id
      union all
      select user_id, max(last_used_at) from api_keys where last_used_at >= ${month} group by user_id
      union all
      select actor_id, max(created_at) from audit_log where action = 'sign_in' and outcome = 'success' and created_at >= ${month} group by actor_id
    ), active as (
      select users.id, max(seen.at) as at from seen join users on users.id = seen.user_id group by users.id
    ), uploaders as (
      select owner_id, count(*)::int as documents, sum(size_bytes)::float8 as bytes
      from ${documents} where ${within(reach, documents.ownerId)} group by owner_id order by documents desc, owner_id limit ${TOP_UPLOADERS}
    )
    select (select count(*)::int from users) as total,
      (select count(*)::int from active where at >= ${day}) as active_day,
      (select count(*)::int from active where at >= ${week}) as active_week,
      (select count(*)::int from active) as active_month,
      (select json_object_agg(role, users) from (select role, count(*) as users from users group by role order by role) as r) as roles,
      (select json_agg(json_build_object('user_id', users.id, 'username', username, 'documents', documents, 'bytes', bytes)
        order by documents desc, username) from uploaders join users on users.id = owner_id) as uploaders`);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returned no row');
  return {
    total: row.total,
    activeDay: row.active_day,
    activeWeek: row.active_week,
    activeMonth: row.active_month,
    byRole: row.roles ?? {},
    topUploaders: (row.uploaders ?? []).map(({ user_id, ...counted }) => ({ userId: user_id, ...counted })),
  };
};

type UserAction = 'users.read' | 'users.update' | 'users.delete';

/** Users on which `principal` may do `action`; their own entry is the user themselves. */
export const usersFor = (principal: Principal, action: UserAction): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, users.id);

export const userNotFound = (details: { readonly user_id: string } | { readonly email: string }): AppError =>
  codedError('NOT_FOUND', 'USER_NOT_FOUND', details);

/** The user, if `principal` may read them. Throws USER_NOT_FOUND otherwise. */
export const getUser = async (db: Db, principal: Principal, id: string): Promise<User> => {
  const [user] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), usersFor(principal, 'users.read')));
  if (user === undefined) throw userNotFound({ user_id: id });
  return user;
};

/** The user, whoever asks. Throws USER_NOT_FOUND. */
export const getUserById = async (db: Db, id: string): Promise<User> => {
  const [user] = await db.select().from(users).where(eq(users.id, id));
  if (user === undefined) throw userNotFound({ user_id: id });
  return user;
};

/** The user with this address, whatever its case, if `principal` may read them. Throws USER_NOT_FOUND otherwise. */
export const getUserByEmail = async (db: Db, principal: Principal, email: string): Promise<User> => {
  const isHis = sql`lower(${users.email}) = lower(${storableText(email)})`;
  const [user] = await db
    .select()
    .from(users)
    .where(and(isHis, usersFor(principal, 'users.read')));
  if (user === undefined) throw userNotFound({ email });
  return user;
};

export interface UserFilter {
  readonly sort: UserSortField;
  readonly order: 'asc' | 'desc';
  /** In the name, the address or the display name, the case of letters aside. */
  readonly q?: string | undefined;
  readonly role?: string | undefined;
}

export interface UserListRequest extends UserFilter, PageRequest {}

const SORT_KEYS = {
  username: { by: sql`lower(${users.username})`, type: 'text' },
  email: { by: sql`lower(${users.email})`, type: 'text' },
  role: { by: users.role, type: 'text' },
  created_at: { by: users.createdAt, type: 'timestamptz' },
  id: { by: users.id, type: 'uuid' },
  display_name: { by: sql`lower(${users.displayName})`, type: 'text', mayBeMissing: true },
  disabled: { by: sql`(${users.disabledAt} is not null)`, type: 'boolean' },
  email_verified: { by: sql`(${users.emailVerifiedAt} is not null)`, type: 'boolean' },
  auth_method: { by: users.authMethod, type: 'text' },
  last_sign_in_at: { by: lastSignInAt(sql`users.id`), type: 'timestamptz', mayBeMissing: true },
  is_invited: { by: sql`(${users.authMethod} = 'local' and ${users.passwordHash} is null)`, type: 'boolean' },
  has_mfa: { by: hasMfa(sql`users.id`), type: 'boolean' },
} as const satisfies Record<UserSortField, unknown>;

const keysetOf = ({ sort, order }: UserFilter) => makeKeyset(order, [SORT_KEYS[sort], { by: users.id, type: 'uuid' }]);

const usersThat = (principal: Principal, { q, role }: Pick<UserFilter, 'q' | 'role'>): SQL | undefined =>
  and(usersFor(principal, 'users.read'), q === undefined ? undefined : has(q), role === undefined ? undefined : eq(users.role, role));

const has = (q: string): SQL =>
  sql`position(lower(${q}) in lower(concat_ws(chr(1), ${users.username}, ${users.email}, ${users.displayName}))) > 0`;

/** One page of the users that `principal` may read, and how many there are. */
export const listUsers = (db: Db, principal: Principal, { page, perPage, ...filter }: UserListRequest): Promise<Page<User>> =>
  selectPage(db, users, { where: usersThat(principal, filter), order: keysetOf(filter).order, page, perPage });

/** The users that `principal` may read behind `after`, at most `limit`. */
export const listUsersAfter = (db: Db, principal: Principal, { after, limit, ...filter }: UserFilter & CutRequest): Promise<Cut<User>> =>
  selectCut(db, users, { where: usersThat(principal, filter), keyset: keysetOf(filter), after, limit });

const countThose = async (db: Db, where: SQL | undefined): Promise<ReadonlyMap<string, number>> => {
  const rows = await db.select({ role: users.role, total: count() }).from(users).where(where).groupBy(users.role);
  return new Map(rows.map(({ role, total }) => [role, total]));
};

/** How many users have each role, of those that `principal` may read. */
export const countUsersByRole = (db: Db, principal: Principal): Promise<ReadonlyMap<string, number>> =>
  countThose(db, usersFor(principal, 'users.read'));

/** How many users have each of these roles, whoever asks. */
export const countUsersOf = (db: Db, names: readonly string[]): Promise<ReadonlyMap<string, number>> =>
  countThose(db, inArray(users.role, [...names]));

/** Stores the permissions of roles; undefined takes away what is stored of one. */
export const writeRoles = async (tx: Db, changes: ReadonlyMap<string, readonly string[] | undefined>): Promise<void> => {
  const gone = [...changes].flatMap(([name, permissions]) => (permissions === undefined ? [name] : []));
  if (gone.length > 0) await tx.delete(roles).where(inArray(roles.name, gone));
  const stored = [...changes].flatMap(([name, permissions]) =>
    permissions === undefined ? [] : [{ name, permissions: [...permissions] }],
  );
  if (stored.length === 0) return;
  await tx
    .insert(roles)
    .values(stored)
    .onConflictDoUpdate({ target: roles.name, set: { permissions: sql`excluded.permissions`, updatedAt: sql`now()` } });
};
