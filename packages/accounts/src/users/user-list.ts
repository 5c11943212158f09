import { type AppError, codedError, storableText } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, ownedBy, type Page, type PageRequest, selectCut, selectPage } from '@sheaf/db';
import { and, eq, type SQL, sql } from '@sheaf/db/drizzle';
import { type User, users } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { UserSortField } from '@sheaf/vocabulary/sort-fields';
import { hasMfa, lastSignInAt } from './users.ts';

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
