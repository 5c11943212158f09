import { type AppError, codedError, reasonedError } from '@sheaf/contract';
import type { LoginAnswer, LoginBody, MfaProof, Reauthentication } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import type { Client } from './client.ts';
import { AUTH_METHODS, type AuthMethod, type ExternalIdentity, type PasswordDriver } from './external-identity.ts';
import type { ExternalUsers } from './external-users.ts';
import type { KnownDevices, Lockout } from './lockout.ts';
import type { MfaService } from './mfa/service.ts';
import { countAttempt, createOneTimeToken, findOneTimeToken, hashToken, makeRandomToken, takeOneTimeToken } from './one-time-tokens.ts';
import { upgradedHash, verifyPassword } from './password.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SessionOpener } from './session-opener.ts';
import type { SessionCookie, Sessions } from './sessions/sessions.ts';
import { type Audit, findUserById, findUserByLogin, replacePasswordHash } from './users/index.ts';

export interface ReauthenticatorDeps {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly mfa: MfaService;
  readonly signIn: SignIn;
  /** Passwords are checked by a directory too. */
  readonly hasDirectory: boolean;
}

/** What a change of one's own sign-in is asked for. */
export interface ProofRequest {
  readonly principal: Principal;
  readonly user: User;
  /** What the request brings along. */
  readonly proof: Reauthentication | undefined;
  readonly client: Client;
}

/** A sign-in that is not older than this is a proof by itself, where nothing else can be one. */
const FRESH_MS = 10 * 60_000;

/** Makes sure that the user themselves changes what they sign in with, and not somebody who has only their session. */
export class Reauthenticator {
  readonly #deps: ReauthenticatorDeps;

  constructor(deps: ReauthenticatorDeps) {
    this.#deps = deps;
  }

  /**
   * For a change of what somebody signs in with, also a second factor that is added. Who has a password or a second factor proves themselves by it; who has neither (they
   * come from an identity provider) by a sign-in of the last ten minutes. Throws FORBIDDEN with the reason `proof_required` or
   * `sign_in_again`, PROOF_WRONG, ACCOUNT_LOCKED.
   */
  async require(request: ProofRequest): Promise<void> {
    if (await this.#isExplicit(request)) return;
    const fields = await this.#proofsOf(request.user);
    if (fields.length > 0) throw proofRequired(fields);
    if (!(await this.#isFresh(request.principal))) throw signInAgain();
  }

  async #isExplicit({ principal, user, proof, client }: ProofRequest): Promise<boolean> {
    if (principal.via === 'disabled-auth') return true; // nobody signs in, so nobody has anything to prove themselves with
    if (proof === undefined) return false;
    await this.#deps.signIn.requireProof(user, proof, client);
    return true;
  }

  /** The fields of a request by which the user can prove who it is; none for one without a password and a second factor. */
  async #proofsOf(user: User): Promise<readonly ProofField[]> {
    const hasPassword = user.authMethod === 'local' ? user.passwordHash !== null : user.authMethod === 'ldap' && this.#deps.hasDirectory;
    const methods = await this.#deps.mfa.methodsOf(user);
    return [
      ...(hasPassword ? (['password'] as const) : []),
      ...new Set(methods.map((method) => (method === 'webauthn' ? 'credential' : 'code'))),
    ];
  }

  async #isFresh({ userId, sessionId }: Principal): Promise<boolean> {
    const session = sessionId === undefined ? undefined : await this.#deps.sessions.findByToken(userId, sessionId);
    return session !== undefined && this.#deps.clock.now().getTime() - session.createdAt.getTime() <= FRESH_MS;
  }
}

type ProofField = 'password' | 'code' | 'credential';

const proofRequired = (fields: readonly ProofField[]) => reasonedError('FORBIDDEN', 'proof_required', { field: fields[0], fields });
const signInAgain = () => reasonedError('FORBIDDEN', 'sign_in_again');

/** What somebody who signs in wants. */
export interface SignInOptions {
  /** A browser session, held by a cookie. */
  readonly cookie: boolean;
  readonly rememberMe: boolean;
}

/** What a sign-in comes to. `cookie` is to be set in the browser. */
export interface SignedIn {
  readonly answer: LoginAnswer;
  readonly cookie?: SessionCookie;
  /** The cookie by which the browser is known again at its next sign-in. */
  readonly device?: string;
}

/** A sign-in that is whole: no second factor is due any more. */
export interface Admitted {
  readonly answer: LoginBody;
  readonly cookie?: SessionCookie;
  readonly device?: string;
}

/** What may stop a sign-in, or ask for more than a password. */
interface SignInChecks {
  readonly lockout: Lockout;
  readonly secondFactor: SecondFactor;
  readonly knownDevices: KnownDevices;
}

/** Users whom another service knows. */
interface ExternalSignIn {
  readonly externalUsers: ExternalUsers;
  /** The directory that checks passwords, where AUTH_METHOD names one. */
  readonly directory: PasswordDriver | undefined;
}

export interface SignInDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly checks: SignInChecks;
  readonly elsewhere: ExternalSignIn;
  readonly opener: SessionOpener;
  readonly settings: { readonly emailVerificationRequired: Live<boolean> };
  readonly audit: Audit;
}

const MFA_STEP = 'mfa_step';
const MFA_STEP_LIFE_MS = 5 * 60_000;
const MFA_STEP_ATTEMPTS = 5;

const stepData = z.object({
  login: z.string(),
  method: z.enum(AUTH_METHODS),
  cookie: z.boolean(),
  rememberMe: z.boolean(),
  /** Of the password that the first step was given. */
  passwordChangedAt: z.coerce.date().nullable(),
});
type StepData = z.infer<typeof stepData>;

interface Step {
  readonly user: User;
  readonly data: StepData;
}

const wrongPassword = (): AppError => reasonedError('UNAUTHORIZED', 'wrong_credentials');
const wrongCode = (): AppError => codedError('UNAUTHORIZED', 'MFA_CODE_WRONG');
const stepOver = (): AppError => codedError('UNAUTHORIZED', 'MFA_TOKEN_INVALID');

const actorOf = ({ id, username }: User) => ({ userId: id, username });

/** The one place where people sign in. Every kind of credential that opens a session comes through here, so that no side door skips a rule. */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /**
   * Throws UNAUTHORIZED, in the same words and after the same work, for an unknown user, a wrong password and a disabled user;
   * ACCOUNT_LOCKED after too many failures; EMAIL_NOT_VERIFIED only to who knows the password.
   */
  async withPassword(login: string, password: string, client: Client, options: SignInOptions): Promise<SignedIn> {
    const { user, method } = await this.#requirePassword(login, password, client);
    return this.#admit(user, method, client, { ...options, login });
  }

  /**
   * Whose name and password these are, without a session, for a token that a program keeps; undefined where a second factor is due and no
   * `code` is given. Throws as `withPassword` does, MFA_CODE_WRONG, and MFA_SETUP_REQUIRED.
   */
  async prove(login: string, password: string, code: string | undefined, client: Client): Promise<User | undefined> {
    const { lockout, secondFactor, knownDevices } = this.#deps.checks;
    const { user, method } = await this.#requirePassword(login, password, client);
    await this.#requireVerifiedEmail(user, method, client);
    if (await secondFactor.mustSetUp(user, method)) throw codedError('FORBIDDEN', 'MFA_SETUP_REQUIRED');
    if (await secondFactor.isDue(user, method)) {
      if (code === undefined) return undefined;
      const isRight = (await secondFactor.verify(user, { code }, client)) !== undefined && (await lockout.succeeded(login, client));
      if (!isRight) {
        await lockout.failed(login, client);
        await this.#record(client, 'failure', user, { method }, 'sign_in.mfa');
        throw wrongCode();
      }
    }
    await this.#record(client, 'success', user, { method });
    await knownDevices.recordProgram(user.id, client);
    return user;
  }

  /** For whom an identity provider has vouched. Throws ACCOUNT_NOT_KNOWN; FORBIDDEN for a disabled user. */
  async withExternal(identity: ExternalIdentity, client: Client, options: SignInOptions): Promise<SignedIn> {
    const user = await this.#deps.elsewhere.externalUsers.resolve(identity, client);
    if (user.disabledAt !== null) {
      await this.#record(client, 'failure', user, { method: identity.method, reason: 'disabled' });
      throw codedError('FORBIDDEN', 'ACCOUNT_DISABLED');
    }
    return this.#admit(user, identity.method, client, { ...options, login: user.username });
  }

  /** Whose second factor the sign-in behind `mfaToken` waits for; the token stays. Throws UNAUTHORIZED. */
  async findMfaUser(mfaToken: string): Promise<User> {
    return (await this.#requireStep(mfaToken)).user;
  }

  /** The second step. Throws UNAUTHORIZED for a wrong proof and for a token that is not good any more, ACCOUNT_LOCKED. */
  async completeMfa(mfaToken: string, proof: MfaProof, client: Client): Promise<Admitted> {
    const { db, clock, checks } = this.#deps;
    const { lockout, secondFactor } = checks;
    const { user, data } = await this.#requireStep(mfaToken);
    const isOpen = await lockout.check(data.login, client);
    if (!(await countAttempt(db, MFA_STEP, hashToken(mfaToken), MFA_STEP_ATTEMPTS))) throw stepOver();
    const by = isOpen ? await secondFactor.verify(user, proof, client) : undefined;
    if (by === undefined) {
      await lockout.failed(data.login, client);
      await this.#record(client, 'failure', user, { method: data.method }, 'sign_in.mfa');
      throw wrongCode();
    }
    if ((await takeOneTimeToken(db, MFA_STEP, hashToken(mfaToken), clock.now())) === undefined) throw stepOver();
    if (!(await lockout.succeeded(data.login, client))) throw wrongCode();
    await this.#record(client, 'success', user, { method: data.method, by }, 'sign_in.mfa');
    return this.#open({ user, method: data.method, client }, data);
  }

  /** That it is the user who wants a change of what they sign in with. Throws FORBIDDEN; wrong proofs count as failed sign-ins. */
  async requireProof(user: User, proof: Reauthentication, client: Client): Promise<void> {
    const { lockout } = this.#deps.checks;
    const isOpen = await lockout.check(user.username, client);
    // in this order: a recovery code that is refused because of a lock is not used up
    const isRight = isOpen && (await this.#isProof(user, proof, client));
    if (isRight && (await lockout.succeeded(user.username, client))) return;
    if (!isRight) await lockout.failed(user.username, client);
    throw codedError('FORBIDDEN', 'PROOF_WRONG');
  }

  async #isProof(user: User, proof: Reauthentication, client: Client): Promise<boolean> {
    if (!('password' in proof)) return (await this.#deps.checks.secondFactor.verify(user, proof, client)) !== undefined;
    return (await this.#findByPassword(user.username, proof.password, client))?.user.id === user.id;
  }

  /** Counts a failure and throws where name and password do not belong together; forgets failures where no second factor is due. */
  async #requirePassword(login: string, password: string, client: Client): Promise<{ user: User; method: AuthMethod }> {
    const { lockout, secondFactor } = this.#deps.checks;
    const isOpen = await lockout.check(login, client);
    const found = await this.#findByPassword(login, password, client);
    if (found === undefined || found.user.disabledAt !== null || !isOpen) throw await this.#refuse(login, client);
    const { user, method } = found;
    // Failures are forgotten only by a whole sign-in: else who has the password could try codes without end.
    const isDue = await secondFactor.isDue(user, method);
    const isStillOpen = isDue ? await lockout.check(login, client) : await lockout.succeeded(login, client);
    if (!isStillOpen) throw await this.#refuse(login, client);
    return found;
  }

  async #requireVerifiedEmail(user: User, method: AuthMethod, client: Client): Promise<void> {
    if (!this.#deps.settings.emailVerificationRequired.current() || method !== 'local' || user.emailVerifiedAt !== null) return;
    await this.#record(client, 'failure', user, { method, reason: 'e-mail address not verified' });
    throw codedError('FORBIDDEN', 'EMAIL_NOT_VERIFIED');
  }

  async #findByPassword(login: string, password: string, client: Client): Promise<{ user: User; method: AuthMethod } | undefined> {
    const { db, elsewhere } = this.#deps;
    const { directory, externalUsers } = elsewhere;
    const user = await findUserByLogin(db, login);
    // Choice: passwords kept here work beside a directory, so that the first administrator gets in while that is away.
    const isRight = await verifyPassword(password, user?.authMethod === 'local' ? user.passwordHash : undefined);
    if (user !== undefined && isRight) {
      await this.#upgrade(user, password);
      return { user, method: 'local' };
    }
    const identity = await directory?.check(login, password);
    return identity === undefined ? undefined : { user: await externalUsers.resolve(identity, client), method: identity.method };
  }

  /** Keeps a hash of our own from now on, where the password was checked by one that was imported. */
  async #upgrade(user: User, password: string): Promise<void> {
    const passwordHash = await upgradedHash(password, user.passwordHash);
    if (passwordHash !== undefined) await replacePasswordHash(this.#deps.db, user.id, user.passwordHash, passwordHash);
  }

  async #admit(user: User, method: AuthMethod, client: Client, options: SignInOptions & { readonly login: string }): Promise<SignedIn> {
    const { secondFactor } = this.#deps.checks;
    await this.#requireVerifiedEmail(user, method, client);
    if (await secondFactor.isDue(user, method)) return { answer: await this.#beginMfa(user, method, options) };
    return this.#open({ user: await secondFactor.startGrace(user, method), method, client }, options);
  }

  async #open(
    opening: { readonly user: User; readonly method: AuthMethod; readonly client: Client },
    options: SignInOptions,
  ): Promise<Admitted> {
    const { opener, checks } = this.#deps;
    const { knownDevices } = checks;
    const admitted = await opener.open(opening, options);
    const { user, client } = opening;
    if (admitted.cookie !== undefined) return { ...admitted, device: await knownDevices.recordBrowser(user.id, client) };
    await knownDevices.recordProgram(user.id, client);
    return admitted;
  }

  async #beginMfa(
    user: User,
    method: AuthMethod,
    { login, cookie, rememberMe }: SignInOptions & { readonly login: string },
  ): Promise<LoginAnswer> {
    const { db, clock, checks } = this.#deps;
    const { secondFactor } = checks;
    const token = makeRandomToken();
    await createOneTimeToken(db, {
      purpose: MFA_STEP,
      tokenHash: hashToken(token),
      userId: user.id,
      data: { login, method, cookie, rememberMe, passwordChangedAt: user.passwordChangedAt } satisfies StepData,
      expiresAt: new Date(clock.now().getTime() + MFA_STEP_LIFE_MS),
    });
    return { mfa_required: true, mfa_token: token, methods: [...(await secondFactor.methodsOf(user))] };
  }

  async #requireStep(mfaToken: string): Promise<Step> {
    const { db, clock } = this.#deps;
    const row = await findOneTimeToken(db, MFA_STEP, hashToken(mfaToken), clock.now());
    const user = typeof row?.userId === 'string' ? await findUserById(db, row.userId) : undefined;
    if (row === undefined || user === undefined || user.disabledAt !== null) throw stepOver();
    const data = stepData.parse(row.data);
    // the password that the first step knew is not theirs any more
    if (user.passwordChangedAt?.getTime() !== data.passwordChangedAt?.getTime()) throw stepOver();
    return { user, data };
  }

  /** Counts the failure, writes it down, and answers what to throw. */
  async #refuse(login: string, client: Client): Promise<AppError> {
    const { db, checks, log } = this.#deps;
    const { lockout } = checks;
    const isLocking = await lockout.failed(login, client);
    log.info({ username: login, address: client.address, locked: isLocking }, 'sign-in rejected');
    const meant = await findUserByLogin(db, login);
    await this.#record(client, 'failure', meant, { username: login, ...(isLocking ? { locked: true } : {}) });
    return wrongPassword();
  }

  #record(
    client: Client,
    outcome: 'success' | 'failure',
    user: User | undefined,
    details: Record<string, unknown>,
    action: AuditAction = 'sign_in',
  ): Promise<void> {
    const actor = user === undefined || outcome === 'failure' ? undefined : actorOf(user);
    const subject = user === undefined ? undefined : { type: 'user', id: user.id };
    return this.#deps.audit(this.#deps.db, { actor, address: client.address, action, outcome, subject, details });
  }
}
