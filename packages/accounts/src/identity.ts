import { type AppError, featureDisabled, type Secret, unauthorized } from '@sheaf/contract';
import type { LoginBody } from '@sheaf/contract/identity';
import { type Db, Listener } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Clock, type Component, type Live, type Logger, Loop, select } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import { ApiKeys } from './api-keys.ts';
import type { Client } from './client.ts';
import type { PasswordDriver } from './external-identity.ts';
import { type ExternalRules, ExternalUsers } from './external-users.ts';
import type { SessionEnd } from './given-password.ts';
import { KnownDevices, Lockout, type LockoutSettings } from './lockout.ts';
import { MfaService } from './mfa/service.ts';
import type { MfaSettings } from './mfa/webauthn.ts';
import { deleteExpiredOneTimeTokens } from './one-time-tokens.ts';
import { warmPasswords } from './password.ts';
import { type Credentials, type FoundPrincipal, Principals } from './principals.ts';
import { deleteLoginFailuresBefore } from './queries/login-failures.ts';
import { SecondFactor } from './second-factor.ts';
import { type RefreshClaims, SessionOpener, type TokenLives, type TokenSettings, Tokens } from './session-opener.ts';
import { deleteSessionsEndedBefore, findSessionById, takeRefreshNumber } from './sessions/database-store.ts';
import { RedisSessionStore } from './sessions/redis-store.ts';
import { type SessionSettings, Sessions } from './sessions/sessions.ts';
import { Reauthenticator, SignIn } from './sign-in.ts';
import { SignInCheck } from './sign-in-check.ts';
import { type Audit, createUser, findUserById, isWithoutUsers, recordAudit } from './users/index.ts';

export interface IdentitySettings {
  /** False: every request is the built-in administrator's. */
  readonly enabled: boolean;
  readonly emailVerificationRequired: Live<boolean>;
  readonly roles: ConfiguredRoles;
  readonly defaultRole: Live<string>;
  readonly lockout: Live<LockoutSettings>;
  readonly tokens: TokenSettings & TokenLives;
  readonly sessions: SessionSettings & {
    /** The key-value store of browser sessions; undefined: the database. */
    readonly storeUrl: Secret | undefined;
    readonly cleanupMs: number;
  };
  readonly apiKeys: { readonly enabled: boolean; readonly lifeMs: Live<number> };
  readonly secondFactor: MfaSettings & { readonly enforceForAdmins: boolean; readonly graceMs: number };
  /** Encrypts the secrets of second factors. */
  readonly appSecretKey: Secret;
  /** What each external sign-in method gives. */
  readonly external: Readonly<Record<'oidc' | 'ldap' | 'saml2', ExternalRules>>;
}

export interface IdentityDeps {
  readonly db: Db;
  /** To listen on for changes that others make. Without it they take effect after half a minute. */
  readonly databaseUrl?: Secret | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: IdentitySettings;
  /** The directory, where one is configured. */
  readonly ldap?: PasswordDriver | undefined;
  /** It checks passwords: AUTH_METHOD=ldap. */
  readonly signsInByLdap?: boolean;
  /** Writes the audit log, and may tell users of what concerns them; the log alone where none is given. */
  readonly audit?: Audit;
}

/** Who is asking and who may sign in: every sign-in goes through here. */
export class Identity {
  readonly signIn: SignIn;
  readonly signInCheck: SignInCheck;
  readonly refresh: Refresh;
  readonly sessions: Sessions;
  readonly keys: ApiKeys;
  readonly mfa: MfaService;
  readonly reauthenticator: Reauthenticator;
  readonly #deps: IdentityDeps;
  readonly #principals: Principals;
  readonly #browserStore: RedisSessionStore | undefined;
  readonly #listeners = new Set<(userId?: string) => void>();
  /** Hears of changes that other processes make. */
  readonly #listener: Listener | undefined;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    const { db, clock, log, settings, ldap, signsInByLdap = false, audit = recordAudit } = deps;
    const { roles } = settings;
    const forget = (userId: string): void => this.forget(userId);
    const tokens = new Tokens(settings.tokens);
    this.mfa = new MfaService({
      db,
      clock,
      log,
      settings: settings.secondFactor,
      secretKey: settings.appSecretKey,
      record: audit,
      onChange: forget,
    });
    const { enforceForAdmins, graceMs } = settings.secondFactor;
    const secondFactor = new SecondFactor({ db, clock, mfa: this.mfa, settings: { roles, enforceForAdmins, graceMs } });
    this.#browserStore = settings.sessions.storeUrl && new RedisSessionStore(settings.sessions.storeUrl, log);
    this.sessions = new Sessions({ db, clock, settings: settings.sessions, browserStore: this.#browserStore, forget, audit });
    this.#listener = deps.databaseUrl && this.#listenOn(deps.databaseUrl);
    this.#principals = new Principals({
      hearsChanges: () => this.#listener?.isConnected ?? true,
      db,
      clock,
      tokens,
      sessions: this.sessions,
      secondFactor,
      settings: {
        authEnabled: settings.enabled,
        tokensEnabled: settings.tokens.enabled,
        keysEnabled: settings.apiKeys.enabled,
        roles,
        idleMs: settings.sessions.idleMs,
      },
    });
    this.keys = new ApiKeys({ db, clock, forget, audit, settings: settings.apiKeys });
    const opener = new SessionOpener({ clock, sessions: this.sessions, tokens, secondFactor, settings: settings.tokens });
    this.refresh = new Refresh({ db, clock, log, tokens, sessions: this.sessions, opener, settings: settings.tokens });
    const externalUsers = new ExternalUsers({
      db,
      clock,
      log,
      forget,
      settings: { roles, defaultRole: settings.defaultRole, rules: settings.external },
    });
    const lockout = new Lockout({ db, clock, settings: settings.lockout });
    const directory = signsInByLdap ? ldap : undefined;
    this.signIn = new SignIn({
      db,
      clock,
      log,
      checks: { lockout, secondFactor, knownDevices: new KnownDevices({ db, clock }) },
      elsewhere: { externalUsers, directory },
      opener,
      settings,
      audit,
    });
    this.reauthenticator = new Reauthenticator({
      clock,
      sessions: this.sessions,
      mfa: this.mfa,
      signIn: this.signIn,
      hasDirectory: directory !== undefined,
    });
    this.signInCheck = new SignInCheck({
      db,
      lockout,
      ldap,
      settings: { roles, ldapRules: select(settings.defaultRole, (defaultRole) => ({ ...settings.external.ldap, defaultRole })) },
    });
  }

  /** The principal behind what a request brings along; undefined when there is none, or it is not good (any more). */
  authenticate(credentials: Credentials): Promise<Principal | undefined> {
    return this.#principals.authenticate(credentials);
  }

  /** Whether it takes the database to find out whom they stand for: nobody remembers them, and nothing in themselves proves them. */
  needsLookup(credentials: Credentials): boolean {
    return this.#principals.needsLookup(credentials);
  }

  /**
   * The same for who stays connected: with the time when their credentials end, or have to be looked at again at the latest. Looks anew
   * at each call.
   */
  look(credentials: Credentials): Promise<FoundPrincipal | undefined> {
    return this.#principals.look(credentials);
  }

  /** Calls `listener` whenever something of a user has changed; without their id when it may have been anyone's. */
  onChange(listener: (userId?: string) => void): void {
    this.#listeners.add(listener);
  }

  /** To be called after the commit of whatever changes a user, their sessions, keys or second factors: it holds from their next request on. */
  forget(userId: string): void {
    this.#changed(userId);
  }

  /** To be called after the commit of a change that may concern every user. */
  forgetAll(): void {
    this.#changed(undefined);
  }

  /** What changes of users need. */
  get sessionEnd(): SessionEnd {
    return {
      endAll: async (tx, userId, exceptSessionId) => {
        await this.sessions.endAll(tx, userId, exceptSessionId);
      },
      forget: (userId) => this.forget(userId),
    };
  }

  /** What runs as long as the process does. */
  components(): Component[] {
    const { db, clock, log, settings } = this.#deps;
    return [
      { name: 'passwords', start: async () => void (await warmPasswords()), stop: async () => {} },
      ...(this.#browserStore === undefined ? [] : [this.#browserStore]),
      ...(settings.enabled ? [] : [this.#builtInAdministrator()]),
      ...(this.#listener === undefined ? [] : [this.#listener]),
      makeCleanup({
        db,
        clock,
        log,
        intervalMs: settings.sessions.cleanupMs,
        lockoutMs: select(settings.lockout, ({ durationMs }) => durationMs),
      }),
    ];
  }

  #listenOn(url: Secret): Listener {
    return new Listener({
      url,
      channels: [CHANNELS.identity],
      log: this.#deps.log,
      // without a name roles changed, or the connection was lost for a while and anything may have changed
      onNudge: (_channel, userId) => this.#changed(userId === '' ? undefined : userId),
    });
  }

  #changed(userId: string | undefined): void {
    if (userId === undefined) this.#principals.forgetAll();
    else this.#principals.forget(userId);
    for (const listener of this.#listeners) listener(userId);
  }

  /** Where nobody is asked who they are, everything still belongs to somebody: an administrator without a password. */
  #builtInAdministrator(): Component {
    const { db, log } = this.#deps;
    const start = async (): Promise<void> => {
      log.warn('AUTH_ENABLED=false: every client has administrator rights');
      await db.transaction(async (tx) => {
        if (!(await isWithoutUsers(tx))) return;
        await createUser(tx, { username: 'admin', email: 'admin@localhost', role: 'admin', passwordHash: null });
      });
      this.#principals.forgetAll();
    };
    return { name: 'built-in-administrator', start, stop: async () => {} };
  }
}

interface CleanupSettings {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervalMs: number;
  /** How long failed sign-ins count. */
  readonly lockoutMs: Live<number>;
}

/** How long a session that has ended is kept: whoever looks into a theft finds when and from where it was opened. */
const KEEP_SESSIONS_MS = 24 * 3_600_000;

/** Takes away what is over: sessions, tokens that work once, counts of failed sign-ins. Nothing depends on when. */
const makeCleanup = ({ db, clock, log, intervalMs, lockoutMs }: CleanupSettings): Component =>
  new Loop({
    name: 'session-cleanup',
    intervalMs,
    log,
    run: async () => {
      const now = clock.now();
      const before = (ms: number): Date => new Date(now.getTime() - ms);
      const sessions = await deleteSessionsEndedBefore(db, before(KEEP_SESSIONS_MS));
      const tokens = await deleteExpiredOneTimeTokens(db, now);
      await deleteLoginFailuresBefore(db, before(lockoutMs.current()));
      if (sessions + tokens > 0) log.info({ sessions, tokens }, 'expired sessions and tokens deleted');
      return false;
    },
  });

interface RefreshDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly opener: SessionOpener;
  readonly settings: { readonly enabled: boolean; readonly refreshLifeMs: number | undefined };
}

const notValid = (): AppError => unauthorized('The refresh token is invalid or expired. Sign in again.');

/** Gives new tokens for a refresh token, which works once. */
class Refresh {
  readonly #deps: RefreshDeps;

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
  }

  /**
   * Throws UNAUTHORIZED. A token that comes a second time ends its whole session: one of the two who have it is a thief, and it
   * cannot be told which.
   */
  async withToken(refreshToken: string, client: Client): Promise<LoginBody> {
    const { db, clock, tokens, opener, settings } = this.#deps;
    if (!settings.enabled) throw featureDisabled('JWT_ENABLED');
    if (settings.refreshLifeMs === undefined) throw featureDisabled('JWT_REFRESH_ENABLED');
    const claims = await tokens.verifyRefresh(refreshToken, clock.now());
    if (claims === undefined) throw notValid();
    const user = await findUserById(db, claims.userId);
    if (user === undefined || user.disabledAt !== null) throw notValid();
    if (!(await takeRefreshNumber(db, claims.sessionId, claims.number, opener.sessionEnd(), clock.now()))) {
      await this.#endIfReused(claims, user, client);
      throw notValid();
    }
    const session = await findSessionById(db, claims.sessionId);
    if (session === undefined || session.userId !== user.id || session.revokedAt !== null) throw notValid();
    return opener.refreshed(user, session, claims.number + 1);
  }

  async #endIfReused({ sessionId, userId, number }: RefreshClaims, user: User, client: Client): Promise<void> {
    const { db, log, sessions } = this.#deps;
    const session = await findSessionById(db, sessionId);
    if (session === undefined || session.userId !== userId || session.revokedAt !== null || session.refreshNumber <= number) return;
    log.warn({ user_id: userId, session_id: sessionId, address: client.address }, 'refresh token reuse detected, session ended');
    await sessions.endAsStolen(session, user.username, client);
  }
}
