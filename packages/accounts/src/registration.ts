import { AppError, reasonedError, type Secret } from '@sheaf/contract';
import type { RegisterRequest } from '@sheaf/contract/identity';
import { type Db, readRoles, readRolesToGive } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live, Logger } from '@sheaf/process';
import {
  areWithin,
  type ConfiguredRoles,
  type Principal,
  permissionsOf,
  type RolePermissions,
  scopeOf,
} from '@sheaf/vocabulary/permissions';
import type { EmailVerification } from './email-verification.ts';
import { type PasswordPolicy, requireGoodPassword } from './given-password.ts';
import { hashPassword } from './password.ts';
import { requireKnownRole } from './second-factor.ts';
import { createUser, hasUsers, isWithoutUsers, recordAudit } from './users/index.ts';

export interface RegistrationDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly emailVerification: EmailVerification;
  readonly roles: ConfiguredRoles;
  readonly settings: Live<RegistrationSettings>;
}

export interface RegistrationSettings {
  readonly registrationEnabled: boolean;
  readonly defaultRole: string;
  readonly passwordPolicy: PasswordPolicy;
}

const registrationClosed = (): AppError => reasonedError('FORBIDDEN', 'registration_closed');

const mayCreateUsers = (by: Principal | undefined): by is Principal =>
  by !== undefined && scopeOf(by.permissions, 'users.create') === 'all';

/** Makes accounts: the first administrator, those of strangers, and those that an administrator makes. */
export class Registration {
  readonly #deps: RegistrationDeps;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Makes an account. While no user exists the caller becomes the first administrator, exactly once however many try.
   * After that who may create users may make any, and others only where registration is open, with the default role at most.
   */
  async register(request: RegisterRequest, by: Principal | undefined, address: string | undefined): Promise<User> {
    const { db, roles, emailVerification } = this.#deps;
    const settings = this.#deps.settings.current();
    if (!mayCreateUsers(by) && !settings.registrationEnabled && (await hasUsers(db))) throw registrationClosed();
    if (request.role !== undefined) requireKnownRole(await readRoles(db, roles), request.role);
    requireGoodPassword(request.password, settings.passwordPolicy, request);
    const passwordHash = await hashPassword(request.password);
    const { user, sendLetter } = await db.transaction(async (tx) => {
      const isFirst = await isWithoutUsers(tx);
      const role = isFirst ? 'admin' : await this.#roleFor(tx, request.role, by);
      const made = await this.#create(tx, { ...request, role, passwordHash }, { isVouchedFor: isFirst || mayCreateUsers(by), by, address });
      return { user: made, sendLetter: await emailVerification.prepare(tx, made) };
    });
    sendLetter();
    return user;
  }

  /** Makes an account for somebody, by `by`, who may create users. Without a password it waits for one. */
  async create(
    tx: Db,
    account: Omit<RegisterRequest, 'password'> & { readonly passwordHash: string | null },
    by: Principal,
    address: string | undefined,
    action: 'user.created' | 'user.imported' = 'user.created',
  ): Promise<User> {
    return this.#create(
      tx,
      { ...account, role: await this.#roleFor(tx, account.role, by) },
      { isVouchedFor: mayCreateUsers(by), by, address, action },
    );
  }

  /** Makes the administrator `admin` with the configured password while no user exists. */
  async makeConfiguredAdministrator(password: Secret): Promise<void> {
    const { db, log } = this.#deps;
    if (await hasUsers(db)) return;
    const passwordHash = await hashPassword(password.reveal());
    await db.transaction(async (tx) => {
      if (!(await isWithoutUsers(tx))) return;
      const account = { username: 'admin', email: 'admin@localhost', role: 'admin', passwordHash };
      await this.#create(tx, account, { isVouchedFor: true, by: undefined, address: undefined });
      log.info('administrator `admin` created with ADMIN_PASSWORD');
    });
  }

  /** Throws FORBIDDEN for a role that is not the caller's to give. */
  async #roleFor(tx: Db, role: string | undefined, by: Principal | undefined): Promise<string> {
    const roles = await readRolesToGive(tx, this.#deps.roles);
    const { defaultRole, registrationEnabled } = this.#deps.settings.current();
    const wanted = role ?? defaultRole;
    requireKnownRole(roles, wanted);
    if (mayCreateUsers(by)) {
      requireMayGive(roles, by, wanted);
      return wanted;
    }
    if (!registrationEnabled) throw registrationClosed();
    if (!areWithin(permissionsOf(roles, wanted), permissionsOf(roles, defaultRole))) {
      throw new AppError('FORBIDDEN', `New accounts get the role ${defaultRole}. An administrator can change it later.`, {
        details: { reason: 'role_too_strong', role: defaultRole },
      });
    }
    return wanted;
  }

  /** Choice: an address that an administrator typed is taken for proven; strangers have to prove theirs, where that is asked for. */
  async #create(
    tx: Db,
    account: { username: string; email: string; role: string; display_name?: string | undefined; passwordHash: string | null },
    how: {
      isVouchedFor: boolean;
      by: Principal | undefined;
      address: string | undefined;
      action?: 'user.created' | 'user.imported';
    },
  ): Promise<User> {
    const { clock, log } = this.#deps;
    const { username, email, role, passwordHash } = account;
    const user = await createUser(tx, {
      username,
      email,
      role,
      displayName: account.display_name,
      passwordHash,
      emailVerifiedAt: how.isVouchedFor ? clock.now() : null,
    });
    await recordAudit(tx, {
      actor: how.by ?? { userId: user.id, username },
      address: how.address,
      action: how.action ?? 'user.created',
      outcome: 'success',
      subject: { type: 'user', id: user.id },
      details: { username, role },
    });
    log.info({ user_id: user.id, role, by: how.by?.userId }, 'user created');
    return user;
  }
}

/** Throws FORBIDDEN for a role that may do more than `by` may: who manages users does not become administrator by it. */
export const requireMayGive = (roles: RolePermissions, by: Principal, role: string): void => {
  if (!areWithin(permissionsOf(roles, role), by.permissions)) {
    throw reasonedError('FORBIDDEN', 'role_too_strong', { role });
  }
};

/**
 * Throws FORBIDDEN where `by` would change a user who may do more than they: with their address or password they would be them. They themselves
 * may do no more than they, but more than a key of theirs.
 */
export const requireMayChange = (roles: RolePermissions, by: Principal, user: { readonly id: string; readonly role: string }): void => {
  const isSameUser = user.id === by.userId && by.via !== 'key';
  if (!isSameUser && !areWithin(permissionsOf(roles, user.role), by.permissions)) {
    throw reasonedError('FORBIDDEN', 'user_too_strong');
  }
};
