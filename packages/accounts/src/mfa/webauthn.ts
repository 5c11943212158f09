import { createHash } from 'node:crypto';
import type { WebauthnAssertion, WebauthnRegistration } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { MfaDevice } from '@sheaf/db/schema';
import type { Clock, Logger } from '@sheaf/process';
import type { MfaMethod } from '@sheaf/vocabulary/mfa';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { createOneTimeToken, takeOneTimeToken } from '../one-time-tokens.ts';
import type { NewMfaDevice } from '../queries/mfa-devices.ts';

const CHALLENGE_LIFE_MS = 5 * 60_000;
/** EdDSA, ES256 and RS256, which every browser has; asking whether Node knows newer ones prints a warning. */
const ALGORITHMS = [-8, -7, -257];
/** 90 ms that only those pay who use passkeys. */
const loadLibrary = () => import('@simplewebauthn/server');
type Ceremony = 'webauthn_register' | 'webauthn_login';

export interface WebauthnDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: WebauthnSettings;
}

/** Whose passkey it is. */
export interface WebauthnOwner {
  readonly id: string;
  readonly username: string;
  readonly displayName: string | null;
}

const toCredential = ({ credentialId, transports }: MfaDevice) => ({ id: credentialId ?? '', transports: transports ?? [] });

const hashOf = (challenge: string): string => createHash('sha256').update(challenge).digest('hex');

/** A credential as the library takes it. Results of extensions are left out: none is asked for. */
const credentialOf = <R>({ id, rawId, type }: WebauthnRegistration | WebauthnAssertion, response: R) => ({
  id,
  rawId,
  type,
  clientExtensionResults: {},
  response,
});

/** Passkeys as a second factor: challenges go out, signed answers come back and are checked. Devices are kept by the caller. */
export class Webauthn {
  readonly #deps: WebauthnDeps;

  constructor(deps: WebauthnDeps) {
    this.#deps = deps;
  }

  async startRegistration(owner: WebauthnOwner, present: readonly MfaDevice[]): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { rpId, rpName, attestation } = this.#deps.settings;
    const { generateRegistrationOptions } = await loadLibrary();
    const options = await generateRegistrationOptions({
      rpID: rpId,
      rpName,
      userName: owner.username,
      userDisplayName: owner.displayName ?? owner.username,
      userID: new Uint8Array(Buffer.from(owner.id.replaceAll('-', ''), 'hex')),
      timeout: CHALLENGE_LIFE_MS,
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: present.map(toCredential),
      // A second factor is found by the name that was typed, so it need not be kept on the device itself.
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    });
    await this.#keepChallenge('webauthn_register', options.challenge, owner.id);
    return { ...options, attestation };
  }

  /** The new passkey, or undefined when the answer is not one to a challenge of this user. */
  async finishRegistration(
    userId: string,
    answer: WebauthnRegistration,
  ): Promise<Omit<NewMfaDevice & { kind: 'webauthn' }, 'name'> | undefined> {
    const expected = await this.#takeChallenge('webauthn_register', answer.response.clientDataJSON, userId);
    if (expected === undefined) return undefined;
    const { transports } = answer.response;
    const { verifyRegistrationResponse } = await loadLibrary();
    const info = await this.#verified('registration', () =>
      verifyRegistrationResponse({
        response: credentialOf(answer, { ...answer.response, transports: transports ?? [] }),
        ...expected,
        supportedAlgorithmIDs: ALGORITHMS,
        requireUserVerification: false,
      }).then((result) => (result.verified ? result.registrationInfo : undefined)),
    );
    if (info === undefined || !this.#isAttested(info)) return undefined;
    return {
      kind: 'webauthn',
      credentialId: info.credential.id,
      publicKey: Buffer.from(info.credential.publicKey).toString('base64url'),
      signCount: info.credential.counter,
      transports: transports ?? [],
      enabledAt: this.#deps.clock.now(),
    };
  }

  async startLogin(userId: string, devices: readonly MfaDevice[]): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await loadLibrary();
    const options = await generateAuthenticationOptions({
      rpID: this.#deps.settings.rpId,
      allowCredentials: devices.map(toCredential),
      timeout: CHALLENGE_LIFE_MS,
      userVerification: 'preferred',
    });
    await this.#keepChallenge('webauthn_login', options.challenge, userId);
    return options;
  }

  /** The counter that the device signed, or undefined when it did not sign a challenge of its owner. */
  async finishLogin(device: MfaDevice, answer: WebauthnAssertion): Promise<number | undefined> {
    const expected = await this.#takeChallenge('webauthn_login', answer.response.clientDataJSON, device.userId);
    if (expected === undefined || device.publicKey === null) return undefined;
    const publicKey = new Uint8Array(Buffer.from(device.publicKey, 'base64url'));
    const { clientDataJSON, authenticatorData, signature } = answer.response;
    const { verifyAuthenticationResponse } = await loadLibrary();
    return await this.#verified('login', () =>
      verifyAuthenticationResponse({
        response: credentialOf(answer, { clientDataJSON, authenticatorData, signature }),
        ...expected,
        // The counter is compared where it is stored, in one statement: two answers at once cannot both be the next.
        credential: { id: answer.id, publicKey, counter: 0 },
        requireUserVerification: false,
      }).then((result) => (result.verified ? result.authenticationInfo.newCounter : undefined)),
    );
  }

  async #keepChallenge(purpose: Ceremony, challenge: string, userId: string): Promise<void> {
    const expiresAt = new Date(this.#deps.clock.now().getTime() + CHALLENGE_LIFE_MS);
    await createOneTimeToken(this.#deps.db, { purpose, tokenHash: hashOf(challenge), userId, expiresAt });
  }

  /** What the library is to expect, for a challenge that is used up by this; undefined for one that is not this user's or another page. */
  async #takeChallenge(purpose: Ceremony, clientDataJSON: string, userId: string) {
    const { db, clock, log, settings } = this.#deps;
    const said = readClientData(clientDataJSON);
    if (said === undefined) return undefined;
    const token = await takeOneTimeToken(db, purpose, hashOf(said.challenge), clock.now());
    if (token === undefined || token.userId !== userId) return undefined;
    if (!isFromOurPage(said, settings)) {
      log.warn({ user_id: userId, origin: said.origin }, 'passkey rejected: origin not in WEBAUTHN_ORIGIN');
      return undefined;
    }
    return { expectedChallenge: said.challenge, expectedOrigin: said.origin, expectedRPID: settings.rpId };
  }

  // The library throws plain errors for whatever does not fit; no query runs inside.
  async #verified<T>(ceremony: string, verify: () => Promise<T>): Promise<T | undefined> {
    try {
      return await verify();
    } catch (error) {
      this.#deps.log.info({ err: error, ceremony }, 'passkey rejected');
      return undefined;
    }
  }

  // Choice: `indirect` asks for a statement and takes a key without one, as browsers may leave it out then; `direct` and `enterprise` do not.
  #isAttested(info: NonNullable<VerifiedRegistrationResponse['registrationInfo']>): boolean {
    const { attestation } = this.#deps.settings;
    const isEnough = attestation === 'none' || attestation === 'indirect' || info.fmt !== 'none';
    if (!isEnough) this.#deps.log.info({ attestation }, 'passkey rejected: attestation missing');
    return isEnough;
  }
}

const clientData = z.looseObject({ challenge: z.string().min(1), origin: z.string().min(1), crossOrigin: z.boolean().optional() });

/** What the browser says about the page that used the passkey, and for what. */
type ClientData = z.infer<typeof clientData>;

/** Undefined when it is not what browsers send. It proves nothing yet: the signature over it does. */
export const readClientData = (base64url: string): ClientData | undefined => {
  try {
    return clientData.safeParse(JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined; // no JSON
  }
};

/**
 * Whether a page of `origin` may use the passkeys of this service. From the settings alone: what a request says of its own host
 * is written by whoever sends it.
 */
export const isAllowedOrigin = (origin: string, { rpId, origins }: Pick<WebauthnSettings, 'rpId' | 'origins'>): boolean => {
  if (origins.length > 0) return origins.includes(origin);
  if (origin === `https://${rpId}`) return true;
  return rpId === 'localhost' && /^http:\/\/localhost(:\d{1,5})?$/.test(origin);
};

// Choice: a passkey used inside a frame of another site is refused, as its person does not see what they agree to.
export const isFromOurPage = (said: ClientData, settings: Pick<WebauthnSettings, 'rpId' | 'origins'>): boolean =>
  isAllowedOrigin(said.origin, settings) && said.crossOrigin !== true;

const ATTESTATION_PREFERENCES = ['none', 'indirect', 'direct', 'enterprise'] as const;

interface WebauthnSettings {
  /** The host name that passkeys belong to. */
  readonly rpId: string;
  readonly rpName: string;
  /** Pages that may use them; where there is none, https://<rpId>, and any http://localhost:<port> for localhost. */
  readonly origins: readonly string[];
  readonly attestation: (typeof ATTESTATION_PREFERENCES)[number];
}

export interface MfaSettings {
  /** Off: nobody is asked for a second factor and nobody can set one up. */
  readonly enabled: boolean;
  /** What may be set up. What was set up before keeps working. */
  readonly methods: readonly MfaMethod[];
  /** The name of the service in authenticator apps. */
  readonly issuer: string;
  /** Undefined: no passkeys. */
  readonly webauthn: WebauthnSettings | undefined;
}
