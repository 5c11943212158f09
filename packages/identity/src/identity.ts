import {
  AppError,
  BUILT_IN_ROLES,
  forbidden,
  type LoginBody,
  type Principal,
  type RegisterRequest,
  type Role,
  type RolePermissions,
  type Secret,
  unauthorized,
} from '@sheaf/contract';
import {
  createSession,
  createUser,
  type Db,
  findSessionUser,
  findUserByLogin,
  hasUsers,
  isWithoutUsers,
  revokeSession,
  type User,
} from '@sheaf/db';
import type { Clock, Logger } from '@sheaf/runtime';
import { hashPassword, requireGoodPassword, verifyPassword } from './password.ts';
import { signToken, verifyToken } from './token.ts';

export interface IdentitySettings {
  readonly jwtSecret: Secret;
  readonly tokenLifeMs: number;
  readonly registrationEnabled: boolean;
  readonly defaultRole: Role;
  readonly passwordMinLength: number;
}

export interface IdentityDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: IdentitySettings;
}

/** Where a request comes from. */
export interface Client {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** Roles from the one with the least rights to the one with the most. */
const RANK: Readonly<Record<Role, number>> = { viewer: 0, auditor: 1, editor: 2, admin: 3 };

/** Who is asking and who may come in: every way in goes through here. */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly #roles: RolePermissions = BUILT_IN_ROLES;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
  }

  /** The principal behind `Authorization: Bearer`, or undefined when the token, its session or its user is not good. */
  async authenticate(authorization: string | undefined): Promise<Principal | undefined> {
    const { db, clock, settings } = this.#deps;
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    const claims = await verifyToken(token, settings.jwtSecret, clock.now());
    if (claims === undefined) return undefined;
    const user = await findSessionUser(db, claims.sessionId, clock.now());
    return user?.id === claims.userId ? this.#principal(user, claims.sessionId) : undefined;
  }

  /** Throws UNAUTHORIZED, in the same words and time, for an unknown user, a wrong password and a disabled user. */
  async login(login: string, password: string, client: Client): Promise<LoginBody> {
    const { db, log } = this.#deps;
    const user = await findUserByLogin(db, login);
    const isRight = await verifyPassword(password, user?.passwordHash);
    if (user === undefined || !isRight || user.disabledAt !== null) {
      log.info({ username: login, address: client.address }, 'sign-in refused');
      throw unauthorized('The user name or the password is wrong');
    }
    return this.#openSession(user, client);
  }

  async logout(sessionId: string): Promise<void> {
    await revokeSession(this.#deps.db, sessionId, this.#deps.clock.now());
  }

  /**
   * Makes an account. While no user exists the caller becomes the first administrator, exactly once however many try.
   * After that an administrator may make any, and others only where registration is open, with the default role at most.
   */
  async register(request: RegisterRequest, by: Principal | undefined): Promise<User> {
    const { db, settings, log } = this.#deps;
    requireGoodPassword(request.password, settings.passwordMinLength);
    if (by === undefined && !settings.registrationEnabled && (await hasUsers(db)))
      throw forbidden('Registration is closed; ask an administrator for an account');
    const passwordHash = await hashPassword(request.password);
    return db.transaction(async (tx) => {
      const role = (await isWithoutUsers(tx)) ? 'admin' : this.#roleFor(request, by);
      const user = await createUser(tx, {
        username: request.username,
        email: request.email,
        role,
        displayName: request.display_name,
        passwordHash,
      });
      log.info({ user_id: user.id, role, by: by?.userId }, 'user created');
      return user;
    });
  }

  /** Makes the administrator `admin` with the configured password while no user exists. */
  async makeConfiguredAdministrator(password: Secret): Promise<void> {
    const { db, log } = this.#deps;
    if (await hasUsers(db)) return;
    const passwordHash = await hashPassword(password.reveal());
    await db.transaction(async (tx) => {
      if (!(await isWithoutUsers(tx))) return;
      await createUser(tx, { username: 'admin', email: 'admin@localhost', role: 'admin', passwordHash });
      log.info('made the administrator `admin` with ADMIN_PASSWORD');
    });
  }

  #roleFor({ role }: RegisterRequest, by: Principal | undefined): Role {
    const { settings } = this.#deps;
    if (by?.permissions.includes('*') === true) return role ?? settings.defaultRole;
    if (!settings.registrationEnabled) throw forbidden('Registration is closed; ask an administrator for an account');
    if (role !== undefined && RANK[role] > RANK[settings.defaultRole]) {
      throw new AppError('FORBIDDEN', `A new account gets the role ${settings.defaultRole}; an administrator can raise it later`);
    }
    return role ?? settings.defaultRole;
  }

  #principal(user: User, sessionId: string): Principal {
    return { userId: user.id, username: user.username, role: user.role, permissions: this.#roles[user.role] ?? [], sessionId };
  }

  async #openSession(user: User, client: Client): Promise<LoginBody> {
    const { db, clock, settings } = this.#deps;
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + settings.tokenLifeMs);
    const session = await createSession(db, { userId: user.id, expiresAt, ...client });
    const token = await signToken({ userId: user.id, sessionId: session.id }, settings.jwtSecret, now, expiresAt);
    return {
      token,
      user: { id: user.id, username: user.username, email: user.email, role: user.role },
      expires_at: expiresAt.toISOString(),
    };
  }
}
