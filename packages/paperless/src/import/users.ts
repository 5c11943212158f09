import { isImportedHash } from '@sheaf/accounts/passwords';
import { createUser, findUserByEmail, findUserByName, recordAudit, updateUser, writeRoles } from '@sheaf/accounts/users';
import { type Db, readRoles, readRolesToChange } from '@sheaf/db';
import { inArray } from '@sheaf/db/drizzle';
import { type User, users as userTable } from '@sheaf/db/schema';
import {
  areWithin,
  type ConfiguredRoles,
  type Principal,
  permissionsOf,
  type RolePermissions,
  scopeOf,
} from '@sheaf/vocabulary/permissions';
import { changesDocuments } from '../permissions.ts';
import { type ImportContext, readAll } from './context.ts';
import { groupFields, permissionFields, type UserFields, userFields } from './records.ts';

const MODEL = 'auth.user';
const USERNAME = /^[A-Za-z0-9_-]{1,64}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,180}\.[^\s@]{1,60}$/;
/** No mail leads there: the domain is reserved. */
const NO_MAIL_DOMAIN = 'paperless.invalid';
const MAX_DISPLAY_NAME_CHARACTERS = 100;

/** A name as users have them here. */
const toUsername = (name: string): string => {
  if (USERNAME.test(name)) return name;
  const [local = ''] = name.split('@', 1);
  const plain = local
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
  return plain === '' ? 'user' : plain;
};

const freeName = async (db: Db, wanted: string): Promise<string> => {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted.slice(0, 60)}-${number}`;
    if ((await findUserByName(db, name)) === undefined) return name;
  }
};

interface Rights {
  /** What each user may do by groups and by themselves, as names such as add_document. */
  readonly of: (user: UserFields) => ReadonlySet<string>;
  /** Which roles the configuration of this system gives. */
  readonly roles: ConfiguredRoles;
}

/** Reads who may do what, and reports the groups, which roles cannot be. */
const readRights = (context: ImportContext, users: ReadonlyMap<string, UserFields>, roles: ConfiguredRoles): Rights => {
  const names = new Map([...readAll(context, 'auth.permission', permissionFields)].map(([pk, { codename }]) => [pk, codename]));
  const groups = readAll(context, 'auth.group', groupFields);
  for (const [pk, { name, permissions }] of groups) {
    const members = [...users.values()].filter(({ groups: own }) => own.includes(pk)).map(({ username }) => username);
    const rights = permissions.map((id) => names.get(id) ?? id);
    context.report.leave(
      'group',
      name,
      `A user has one role and no groups. Members: ${members.join(', ') || 'none'}; permissions: ${rights.join(', ') || 'none'}`,
    );
  }
  for (const { username, user_permissions: own } of users.values())
    if (own.length > 0)
      context.report.leave(
        'permission',
        username,
        `Users have no permissions beside their role: ${own.map((id) => names.get(id) ?? id).join(', ')}`,
      );
  return {
    roles,
    of: ({ groups: own, user_permissions: more }) =>
      new Set([...own.flatMap((group) => groups.get(group)?.permissions ?? []), ...more].map((id) => names.get(id) ?? id)),
  };
};

/** The role that comes nearest. */
const roleOf = (user: UserFields, rights: Rights): WantedRole => {
  if (user.is_superuser) return 'admin';
  return changesDocuments(rights.of(user)) ? 'imported-editor' : 'imported-viewer';
};

type WantedRole = ImportedRole | 'admin';

/** A role, and those that are given in its place where the requester of the import may not give it, the strongest first. */
const INSTEAD: Readonly<Record<WantedRole, readonly WantedRole[]>> = {
  admin: ['admin', 'imported-editor', 'imported-viewer'],
  'imported-editor': ['imported-editor', 'imported-viewer'],
  'imported-viewer': ['imported-viewer'],
};

interface GivenRole {
  readonly role: string;
  /** Whether the account is one that nobody can use, as its role is not the user's. */
  readonly isDisabled: boolean;
}

/** The role of an account, no stronger than the requester of the import may give; undefined where there is none. */
const giveRole = async (
  tx: Db,
  { by, report }: ImportContext,
  { roles }: Rights,
  wanted: WantedRole,
  username: string,
): Promise<GivenRole | undefined> => {
  for (const role of INSTEAD[wanted]) {
    const refusal = await giveImportedRole(tx, roles, role, by);
    if (refusal === 'unknown') {
      if (!areWithin(permissionsOf(await readRoles(tx, roles), 'viewer'), by.permissions)) return undefined;
      report.leave('role', username, `ROLES_FILE has no role ${role}; the account is disabled and a viewer: give it a role and enable it`);
      return { role: 'viewer', isDisabled: true };
    }
    if (refusal !== undefined) continue;
    if (role !== wanted)
      report.leave('role', username, `The account has the role ${role}: ${wanted} has more permissions than the requester of the import`);
    return { role, isDisabled: false };
  }
  return undefined;
};

const passwordOf = ({ report }: ImportContext, { username, password }: UserFields): string | null => {
  if (isImportedHash(password)) return password;
  const reason = password.startsWith('!') || password === '' ? 'has no password' : 'has a password in a form that is not known';
  report.leave('password', username, `The user ${reason}; invite the user to set one`);
  return null;
};

/** The address, where it is one that nobody else has. */
const addressFor = async (context: ImportContext, { username, email }: UserFields, name: string): Promise<string> => {
  if (EMAIL.test(email) && (await findUserByEmail(context.db, email)) === undefined) return email;
  const address = `${name}@${NO_MAIL_DOMAIN}`;
  const reason = EMAIL.test(email) ? `Another user has the e-mail address ${email}` : 'The user has no e-mail address';
  context.report.leave('e-mail address', username, `${reason}; the account has ${address}`);
  return address;
};

/** Makes the account. What people have there is theirs here too, but an account that was here stays as it is. */
const makeUser = async (context: ImportContext, pk: string, user: UserFields, rights: Rights): Promise<User | undefined> => {
  const { report, by } = context;
  if (scopeOf(by.permissions, 'users.create') !== 'all') {
    report.leave('user', user.username, 'The requester of the import may not create users: the permission users.create is required');
    return undefined;
  }
  const username = await freeName(context.db, toUsername(user.username));
  if (username !== user.username) report.leave('username', user.username, `The account is called ${username}`);
  const email = await addressFor(context, user, username);
  const passwordHash = passwordOf(context, user);
  const displayName = `${user.first_name} ${user.last_name}`.trim().slice(0, MAX_DISPLAY_NAME_CHARACTERS).toWellFormed();
  const wanted = roleOf(user, rights);
  return context.db.transaction(async (tx) => {
    const isReal = email === user.email;
    const given = await giveRole(tx, context, rights, wanted, username);
    if (given === undefined) {
      report.leave('user', user.username, 'Each role that the user could have has more permissions than the requester of the import');
      return undefined;
    }
    const { role } = given;
    const made = await createUser(tx, {
      username,
      email,
      role,
      displayName: displayName === '' ? undefined : displayName,
      passwordHash,
      emailVerifiedAt: isReal ? new Date() : null,
    });
    await recordAudit(tx, {
      actor: by,
      action: 'user.imported',
      outcome: 'success',
      subject: { type: 'user', id: made.id },
      details: { username, role },
    });
    if (!user.is_active || given.isDisabled) await updateUser(tx, made.id, { disabledAt: new Date() }, new Date());
    await context.items.add(tx, MODEL, [{ foreignId: pk, localId: made.id }]);
    return made;
  });
};

/** The account of the same name and the same address is the user's. */
const findSame = async (db: Db, { username, email }: UserFields): Promise<User | undefined> => {
  const user = await findUserByName(db, toUsername(username));
  return user !== undefined && email !== '' && user.email.toLowerCase() === email.toLowerCase() ? user : undefined;
};

/** A user of the other system. */
export interface ImportedUser {
  /** The account here. */
  readonly id: string;
  readonly username: string;
}

/** Whether the requester of the import may act in the name of an account: whoever may change it could. */
const mayActFor = (roles: RolePermissions, by: Principal, account: Pick<User, 'id' | 'role'>): boolean =>
  account.id === by.userId || areWithin(permissionsOf(roles, account.role), by.permissions);

const leaveOthers = ({ report }: ImportContext, username: string): void =>
  report.leave(
    'user',
    username,
    'The account here has more permissions than the requester of the import: what belongs to the user is imported for the owner of the import',
  );

/** The accounts that an earlier import made or found, by the ids that the users had; null for those that were deleted since. */
const findKnown = async ({ db, items }: ImportContext): Promise<ReadonlyMap<string, User | null>> => {
  const known = await items.findRows(db, MODEL, userTable);
  const ids = [...known.values()].filter((id) => id !== null);
  const rows = ids.length === 0 ? [] : await db.select().from(userTable).where(inArray(userTable.id, ids));
  const accounts = new Map(rows.map((row) => [row.id, row]));
  return new Map([...known].map(([pk, id]) => [pk, (id === null ? undefined : accounts.get(id)) ?? null]));
};

/** Takes over the users, whose roles are among `roles`, and answers the accounts by the ids that the users had. */
export const importUsers = async (context: ImportContext, roles: ConfiguredRoles): Promise<ReadonlyMap<string, ImportedUser>> => {
  const { db, items, report, by } = context;
  const users = readAll(context, MODEL, userFields);
  const rights = readRights(context, users, roles);
  const known = await findKnown(context);
  const accounts = new Map<string, ImportedUser>();
  const join = async (pk: string, username: string, account: User): Promise<boolean> => {
    if (!mayActFor(await readRoles(db, roles), by, account)) {
      leaveOthers(context, username);
      return false;
    }
    accounts.set(pk, { id: account.id, username });
    return true;
  };
  for (const [pk, user] of users) {
    const { username } = user;
    const account = known.get(pk);
    if (account !== undefined) {
      if (account !== null) await join(pk, username, account);
      continue;
    }
    const same = await findSame(db, user);
    if (same === undefined) {
      const made = await makeUser(context, pk, user, rights);
      if (made === undefined) continue;
      accounts.set(pk, { id: made.id, username });
      report.count('users');
    } else if (await join(pk, username, same)) {
      await items.add(db, MODEL, [{ foreignId: pk, localId: same.id, isJoined: true }]);
      report.leave(
        'user',
        username,
        `There is an account with this name and e-mail address: it is the user's, with its password and role as they are`,
      );
    }
  }
  return accounts;
};

/**
 * Roles of imported users. There, users see their own documents and those that were shared with them; the built-in roles here read the
 * documents of everybody. So these reach as far as a user's own documents, until an administrator says otherwise.
 */
const IMPORTED_ROLES = {
  'imported-editor': [
    'documents.read.own',
    'documents.create',
    'documents.update.own',
    'documents.delete.own',
    'search.query.own',
    'labels.read',
    'labels.create',
    'labels.update.own',
    'labels.delete.own',
    'ocr.read.own',
    'ocr.update.own',
  ],
  'imported-viewer': ['documents.read.own', 'search.query.own', 'labels.read', 'ocr.read.own'],
} as const;
type ImportedRole = keyof typeof IMPORTED_ROLES;

/** Why a user does not get a role: ROLES_FILE does not have it, or it has more permissions than the requester of the import. */
type RoleRefusal = 'unknown' | 'too_strong';

/**
 * Makes the role where there is none of its name. Pass the transaction that gives it to a user. Answers why the user does not get it;
 * undefined where nothing speaks against it.
 */
const giveImportedRole = async (
  tx: Db,
  configured: ConfiguredRoles,
  role: ImportedRole | 'admin',
  by: Principal,
): Promise<RoleRefusal | undefined> => {
  const roles = await readRolesToChange(tx, configured);
  const isThere = Object.hasOwn(roles, role);
  if (!isThere && (configured.areFromFile || role === 'admin')) return 'unknown';
  const permissions = role === 'admin' || isThere ? permissionsOf(roles, role) : IMPORTED_ROLES[role];
  if (!areWithin(permissions, by.permissions)) return 'too_strong';
  if (isThere) return undefined;
  await writeRoles(tx, new Map([[role, permissions]]));
  await recordAudit(tx, {
    actor: by,
    action: 'role.created',
    outcome: 'success',
    subject: { type: 'role', id: role },
    details: { old: null, new: permissions },
  });
  return undefined;
};
