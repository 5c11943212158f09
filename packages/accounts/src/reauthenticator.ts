import { reasonedError } from '@sheaf/contract';
import type { Reauthentication } from '@sheaf/contract/identity';
import type { User } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import type { MfaService } from './mfa/service.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { SignIn } from './sign-in.ts';

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
