import { randomBytes } from 'node:crypto';
import { type Db, readRoles } from '@sheaf/db';
import { asc, gt } from '@sheaf/db/drizzle';
import { users } from '@sheaf/db/schema';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import { counterpartsOf } from '../../permissions.ts';
import { contentTypes, type ManifestRecord, RowNumbers, sheafExtra, shortened, toTime } from './content-types.ts';

/** An installation has the users 1, consumer, and 2, AnonymousUser, which exports never have. */
const FIRST_USER = 3;
const BATCH = 500;
const NAME_CHARACTERS = 150;
const EMAIL_CHARACTERS = 254;

/** As Django writes that there is no password: people get a new one from an administrator there. */
const noPassword = (): string => `!${randomBytes(30).toString('base64url')}`;

async function* allUsers(db: Db) {
  for (let after: string | undefined; ; ) {
    const rows = await db
      .select({
        id: users.id,
        username: users.username,
        email: users.email,
        role: users.role,
        displayName: users.displayName,
        disabledAt: users.disabledAt,
        authMethod: users.authMethod,
        createdAt: users.createdAt,
      })
      .from(users)
      .where(after === undefined ? undefined : gt(users.id, after))
      .orderBy(asc(users.id))
      .limit(BATCH);
    yield* rows;
    after = rows.at(-1)?.id;
    if (after === undefined) return;
  }
}

export interface People {
  /** The numbers of users by their ids. */
  readonly numbers: RowNumbers;
  /** Names of users by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

/** Content types, permissions, a group for each role, and the users, without what they sign in with. */
export async function* peopleRecords(db: Db, configured: ConfiguredRoles, people: Writable<People>): AsyncGenerator<ManifestRecord> {
  const types = contentTypes();
  yield* types.records;
  const roles = await readRoles(db, configured);
  const groups = new Map<string, number>();
  for (const [role, permissions] of Object.entries(roles)) {
    if (isSuperuser(permissions)) continue;
    const pk = groups.size + 1;
    groups.set(role, pk);
    const numbers = counterpartsOf(permissions).flatMap((name) => types.numberOf(name) ?? []);
    yield { model: 'auth.group', pk, fields: { name: role, permissions: [...new Set(numbers)] }, ...sheafExtra({ role, permissions }) };
  }
  for await (const user of allUsers(db)) {
    const group = groups.get(user.role);
    const isAdmin = isSuperuser(roles[user.role] ?? []);
    people.names.set(user.id, user.username);
    yield {
      model: 'auth.user',
      pk: people.numbers.add(user.id),
      fields: {
        password: noPassword(),
        last_login: null,
        is_superuser: isAdmin,
        username: user.username,
        first_name: shortened(user.displayName ?? '', NAME_CHARACTERS),
        last_name: '',
        email: shortened(user.email, EMAIL_CHARACTERS),
        is_staff: isAdmin,
        is_active: user.disabledAt === null,
        date_joined: toTime(user.createdAt),
        groups: group === undefined ? [] : [group],
        user_permissions: [],
      },
      ...sheafExtra({ id: user.id, role: user.role, sign_in: user.authMethod === 'local' ? undefined : user.authMethod }),
    };
  }
}

type Writable<T extends People> = T & { readonly names: Map<string, string> };

export const noPeople = (): Writable<People> => ({ numbers: new RowNumbers(FIRST_USER), names: new Map() });

/** Whether a role may do everything, as a superuser there. */
const isSuperuser = (permissions: readonly string[]): boolean => permissions.includes('*');
