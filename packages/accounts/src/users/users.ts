import { type AppError, reasonedError } from '@sheaf/contract';
import type { ManagedUserBody, UserBody } from '@sheaf/contract/identity';
import { type Db, violates } from '@sheaf/db';
import { and, asc, eq, isNull, or, type SQL, sql } from '@sheaf/db/drizzle';
import { type User, users } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';

/** The user whom an external sign-in method knows by `externalId`, locked until the end of the transaction. */
export const findUserByExternalId = async (tx: Db, method: User['authMethod'], externalId: string): Promise<User | undefined> =>
  (
    await tx
      .select()
      .from(users)
      .where(and(eq(users.authMethod, method), eq(users.externalId, externalId)))
      .for('no key update')
  )[0];

/** The user with this name, whatever its case. */
export const findUserByName = async (db: Db, username: string): Promise<User | undefined> =>
  (await db.select().from(users).where(sql`lower(${users.username}) = lower(${username})`))[0];

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly role: string;
  readonly displayName?: string | undefined;
  readonly passwordHash: string | null;
  /** When it was proven that the address is theirs. */
  readonly emailVerifiedAt?: Date | null;
  readonly authMethod?: User['authMethod'];
  /** What their identity provider knows them by. */
  readonly externalId?: string | null;
  readonly externalGroups?: readonly string[];
}

const duplicateUser = (field: 'username' | 'email', value: string, cause: unknown): AppError =>
  reasonedError('DUPLICATE_RESOURCE', `${field}_in_use`, { field, value }, cause);

/** The error of a write that gave a user a name or an address which another one has; any other error as it is. */
export const toDuplicateUser = (error: unknown, { username = '', email = '' }: { username?: string; email?: string }): unknown => {
  if (violates(error, 'users_username_key')) return duplicateUser('username', username, error);
  return violates(error, 'users_email_key') ? duplicateUser('email', email, error) : error;
};

/** Makes a user. Throws DUPLICATE_RESOURCE when the name or the address is taken, whatever its case. */
export const createUser = async (db: Db, user: NewUser): Promise<User> => {
  const { externalGroups, displayName, ...fields } = user;
  try {
    const [row] = await db
      .insert(users)
      .values({ id: uuidv7(), ...fields, displayName: displayName ?? null, externalGroups: [...(externalGroups ?? [])] })
      .returning();
    if (row === undefined) throw new Error('insert returned no row');
    return row;
  } catch (error) {
    throw toDuplicateUser(error, user);
  }
};

/** First key of the advisory lock under which the first administrator is made; the whole transaction holds it. */
const FIRST_USER_LOCK = 0x73_68_75;

/** Whether no user exists. Callers that act on the answer pass a transaction: it holds off every other caller until its end. */
export const isWithoutUsers = async (tx: Db): Promise<boolean> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${FIRST_USER_LOCK})`);
  return !(await hasUsers(tx));
};

export const hasUsers = async (db: Db): Promise<boolean> => (await db.select({ id: users.id }).from(users).limit(1)).length > 0;

/** The user with this e-mail address, whatever its case. */
export const findUserByEmail = async (db: Db, email: string): Promise<User | undefined> =>
  email.includes('\0') ? undefined : (await db.select().from(users).where(sql`lower(${users.email}) = lower(${email})`))[0];

export const findUserById = async (db: Db, id: string): Promise<User | undefined> =>
  (await db.select().from(users).where(eq(users.id, id)))[0];

/** The user whose name or e-mail address is `login`, whatever its case. */
export const findUserByLogin = async (db: Db, login: string): Promise<User | undefined> => {
  if (login.includes('\0')) return undefined; // which PostgreSQL refuses to compare
  const [user] = await db
    .select()
    .from(users)
    .where(or(sql`lower(${users.username}) = lower(${login})`, sql`lower(${users.email}) = lower(${login})`))
    .orderBy(sql`(lower(${users.username}) = lower(${login})) desc`)
    .limit(1);
  return user;
};

/** The owner of files that arrive without one: the user named `username` if given, else the first administrator. */
export const findDefaultOwner = async (db: Db, username: string | undefined): Promise<User | undefined> => {
  const isMeant = username === undefined ? eq(users.role, 'admin') : sql`lower(${users.username}) = lower(${username})`;
  return (
    await db
      .select()
      .from(users)
      .where(and(isMeant, isNull(users.disabledAt)))
      .orderBy(asc(users.createdAt), asc(users.id))
      .limit(1)
  )[0];
};

export const toUserBody = (user: User): UserBody => ({
  id: user.id,
  username: user.username,
  email: user.email,
  role: user.role,
  display_name: user.displayName,
  created_at: user.createdAt.toISOString(),
});

export const lastSignInAt = (userId: SQL): SQL => sql`(
  select audit_log.created_at from audit_log
  where actor_id = ${userId} and action in ('sign_in', 'sign_in.mfa') and outcome = 'success'
  order by audit_log.created_at desc limit 1)`;

export const hasMfa = (userId: SQL): SQL =>
  sql`exists (select from mfa_devices where mfa_devices.user_id = ${userId} and enabled_at is not null)`;

interface UserFacts extends Record<string, unknown> {
  readonly id: string;
  readonly last_sign_in_at: string | null;
  readonly has_mfa: boolean;
}

const readFacts = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, UserFacts>> => {
  if (ids.length === 0) return new Map();
  const { rows } = await db.execute<UserFacts>(sql`
    select users.id, ${lastSignInAt(sql`users.id`)} as last_sign_in_at, ${hasMfa(sql`users.id`)} as has_mfa from users
    where users.id = any(${sql.param([...ids])}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
};

/** The users as those see them who manage users, in their order. */
export const toManagedUserBodies = async (db: Db, many: readonly User[]): Promise<ManagedUserBody[]> => {
  const facts = await readFacts(
    db,
    many.map(({ id }) => id),
  );
  return many.map((user) => {
    const { last_sign_in_at: at = null, has_mfa: hasMfa = false } = facts.get(user.id) ?? {};
    return {
      ...toUserBody(user),
      disabled: user.disabledAt !== null,
      email_verified: user.emailVerifiedAt !== null,
      auth_method: user.authMethod,
      last_sign_in_at: at === null ? null : new Date(at).toISOString(),
      is_invited: user.authMethod === 'local' && user.passwordHash === null,
      has_mfa: hasMfa,
    };
  });
};

/** The same of one. */
export const toManagedUserBody = async (db: Db, user: User): Promise<ManagedUserBody> => {
  const [body] = await toManagedUserBodies(db, [user]);
  if (body === undefined) throw new Error('one user has one body');
  return body;
};
