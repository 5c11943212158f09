import { AppError, stripBoth } from '@sheaf/contract';
import { type Db, readRolesToGive, violates } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { adminRoles, type GroupRules, isAdminRole, roleFromGroups } from './second-factor.ts';
import {
  createUser,
  findUserByEmail,
  findUserByExternalId,
  findUserByName,
  isLastAdministrator,
  isWithoutUsers,
  recordAudit,
  type UserChanges,
  updateUser,
} from './users/index.ts';

/** What an external sign-in method gives to whom it names. */
export interface ExternalRules extends Omit<GroupRules, 'defaultRole'> {
  /** Make an account at the first sign-in. */
  readonly autoCreate: boolean;
}

export interface ExternalUsersDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly forget: (userId: string) => void;
  readonly settings: {
    readonly roles: ConfiguredRoles;
    readonly defaultRole: Live<string>;
    readonly rules: Readonly<Record<ExternalIdentity['method'], ExternalRules>>;
  };
}

const MAX_NAME_CHARACTERS = 64;
const MAX_GROUPS = 1_000;

const notKnown = (message: string): AppError => new AppError('FORBIDDEN', message, { code: 'ACCOUNT_NOT_KNOWN' });

/** The user that an identity provider or a directory speaks of: found, linked or made, with the role that their groups give. */
export class ExternalUsers {
  readonly #deps: ExternalUsersDeps;

  constructor(deps: ExternalUsersDeps) {
    this.#deps = deps;
  }

  /** Throws ACCOUNT_NOT_KNOWN where there is no account and none may be made. */
  async resolve(identity: ExternalIdentity, client: Client): Promise<User> {
    const { db, forget } = this.#deps;
    const find = (): Promise<User> => db.transaction((tx) => this.#find(tx, identity, client));
    // two first sign-ins at once both find nobody: who comes second finds whom the first one has made
    const user = await find().catch((error: unknown) => (isTaken(error) ? find() : Promise.reject(error)));
    forget(user.id);
    return user;
  }

  async #find(tx: Db, identity: ExternalIdentity, client: Client): Promise<User> {
    const known = await findUserByExternalId(tx, identity.method, identity.externalId);
    if (known !== undefined) return this.#update(tx, known, identity, client);
    const namesake = identity.email === undefined ? undefined : await findUserByEmail(tx, identity.email);
    if (namesake !== undefined) return this.#update(tx, this.#requireLinkable(namesake, identity), identity, client);
    return this.#create(tx, identity, client);
  }

  /**
   * Whoever has the address at a provider that vouches for it may be its owner here, where it is proven here too. Choice: never an administrator who signs in by
   * password, because then whoever runs the provider's mail would run this service.
   */
  #requireLinkable(user: User, { method, externalId, emailVerified }: ExternalIdentity): User {
    const { log, settings } = this.#deps;
    // made a moment ago by another first sign-in of the same person
    if (user.authMethod === method && user.externalId === externalId) return user;
    const isMaster = isAdminRole(settings.roles.permissions, user.role) && user.authMethod !== method;
    const isOther = user.externalId !== null; // linked already, to somebody else
    // whoever typed somebody else's address here first must not find them in their account later
    const isProven = emailVerified && user.emailVerifiedAt !== null;
    if (isProven && !isMaster && !isOther) return user;
    log.warn(
      { user_id: user.id, method, is_proven: isProven, is_administrator: isMaster, is_linked: isOther },
      'account not linked by e-mail address',
    );
    throw notKnown('Another account already uses your e-mail address and cannot be linked. Contact an administrator.');
  }

  async #update(tx: Db, user: User, identity: ExternalIdentity, client: Client): Promise<User> {
    const { clock } = this.#deps;
    const { method, externalId } = identity;
    const isNew = user.externalId !== externalId || user.authMethod !== method;
    const role = await this.#roleOf(tx, user, identity, client);
    const groups = identity.groups.slice(0, MAX_GROUPS);
    const changes: UserChanges = {
      ...(isNew ? { authMethod: method, externalId } : {}),
      ...(role === user.role ? {} : { role }),
      ...(groups.join('\0') === user.externalGroups.join('\0') ? {} : { externalGroups: groups }),
      ...(user.displayName === null && identity.displayName !== undefined ? { displayName: identity.displayName.slice(0, 200) } : {}),
      ...(user.emailVerifiedAt === null && isSame(user.email, identity) ? { emailVerifiedAt: clock.now() } : {}),
    };
    if (Object.keys(changes).length === 0) return user;
    const changed = await updateUser(tx, user.id, changes, clock.now());
    if (isNew) await this.#record(tx, user, client, 'user.updated', { linked_to: method });
    if (role !== user.role) await this.#record(tx, user, client, 'user.role_changed', { from: user.role, to: role, by: 'groups', method });
    return changed;
  }

  async #create(tx: Db, identity: ExternalIdentity, client: Client): Promise<User> {
    const { clock, log } = this.#deps;
    const { method, externalId, email, emailVerified, displayName } = identity;
    if (!this.#rulesOf(identity).autoCreate) throw notKnown('You have no account in this service. Ask an administrator to create one.');
    const username = await this.#freeName(tx, identity);
    const role = await this.#roleByGroups(tx, identity);
    await this.#requireAdministratorFirst(tx, role);
    const user = await createUser(tx, {
      username,
      // Choice: the column wants one; nothing is ever sent to a name that cannot exist
      email: email ?? `${username}@${method}.invalid`,
      role,
      displayName: displayName?.slice(0, 200),
      passwordHash: null,
      authMethod: method,
      externalId,
      externalGroups: identity.groups.slice(0, MAX_GROUPS),
      emailVerifiedAt: emailVerified ? clock.now() : null,
    });
    await this.#record(tx, user, client, 'user.created', { username, role, method });
    log.info({ user_id: user.id, role, method }, 'user created at first sign-in');
    return user;
  }

  /** While no user exists the first one to register becomes administrator: nobody may take that place by having no rights. */
  async #requireAdministratorFirst(tx: Db, role: string): Promise<void> {
    if (isAdminRole(this.#deps.settings.roles.permissions, role) || !(await isWithoutUsers(tx))) return;
    throw notKnown('No administrator exists yet. Register the first one or set ADMIN_PASSWORD.');
  }

  /** The role they are to have. The last administrator stays one, whatever their groups say: nobody could make another. */
  async #roleOf(tx: Db, user: User, identity: ExternalIdentity, client: Client): Promise<string> {
    const { settings, log } = this.#deps;
    const { adminGroup, mapping } = this.#rulesOf(identity);
    // where groups mean nothing, what an administrator gave them stays
    if (adminGroup === undefined && Object.keys(mapping).length === 0) return user.role;
    const role = await this.#roleByGroups(tx, identity);
    if (role === user.role || isAdminRole(settings.roles.permissions, role)) return role;
    if (!(await isLastAdministrator(tx, user, adminRoles(settings.roles.permissions)))) return role;
    log.warn({ user_id: user.id, role }, 'last administrator kept although removed from the administrator group');
    await this.#record(
      tx,
      user,
      client,
      'user.role_changed',
      { from: user.role, to: role, by: 'groups', reason: 'last administrator' },
      'failure',
    );
    return user.role;
  }

  async #roleByGroups(tx: Db, identity: ExternalIdentity): Promise<string> {
    const { roles: configured, defaultRole } = this.#deps.settings;
    const roles = await readRolesToGive(tx, configured);
    return roleFromGroups(roles, identity.groups, { ...this.#rulesOf(identity), defaultRole: defaultRole.current() });
  }

  #rulesOf({ method }: ExternalIdentity): ExternalRules {
    return this.#deps.settings.rules[method];
  }

  async #freeName(tx: Db, { username, email }: ExternalIdentity): Promise<string> {
    // user@example.org is user here, as names are also names of folders
    const wanted = (username ?? email ?? 'user').split('@')[0] ?? '';
    const plain = stripBoth(wanted.normalize('NFKD').replaceAll(/[^A-Za-z0-9_-]+/g, '_'), '_');
    const name = plain === '' ? 'user' : plain.slice(0, MAX_NAME_CHARACTERS - 4);
    for (let n = 1; n < 1_000; n += 1) {
      const candidate = n === 1 ? name : `${name}${n}`;
      if ((await findUserByName(tx, candidate)) === undefined) return candidate;
    }
    throw notKnown('No unused user name was found for your account. Ask an administrator to create one.');
  }

  #record(
    tx: Db,
    user: User,
    client: Client,
    action: AuditAction,
    details: Record<string, unknown>,
    outcome: 'success' | 'failure' = 'success',
  ) {
    return recordAudit(tx, {
      actor: { userId: user.id, username: user.username },
      address: client.address,
      action,
      outcome,
      subject: { type: 'user', id: user.id },
      details,
    });
  }
}

const isTaken = (error: unknown): boolean =>
  violates(error, 'users_external_id_key') || (error instanceof AppError && error.kind === 'DUPLICATE_RESOURCE');

const isSame = (address: string, { email, emailVerified }: ExternalIdentity): boolean =>
  emailVerified && email?.toLowerCase() === address.toLowerCase();
