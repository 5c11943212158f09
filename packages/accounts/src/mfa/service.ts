import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AppError, codedError, featureDisabled, reasonedError, type Secret } from '@sheaf/contract';
import type { MfaProof, WebauthnAssertion, WebauthnRegistration } from '@sheaf/contract/identity';
import { type Db, violates } from '@sheaf/db';
import type { MfaDevice } from '@sheaf/db/schema';
import { openSecret, sealSecret } from '@sheaf/process';
import type { MfaMethod } from '@sheaf/vocabulary/mfa';
import { Secret as OtpSecret, TOTP } from 'otpauth';
import {
  countRecoveryCodes,
  createMfaDevice,
  deleteMfaDevice,
  deleteMfaDevices,
  deleteRecoveryCodes,
  deleteUnprovenTotpDevices,
  enableTotpDevice,
  hasEnabledMfaDevice,
  listMfaDevices,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeSignCount,
  takeTotpStep,
} from '../queries/mfa-devices.ts';
import { auditOf, enabledOnly, type MfaAuditEntry, type MfaClient, type MfaDeps, type MfaUser } from './mfa-deps.ts';
import { Webauthn } from './webauthn.ts';

/** Apps, keys and phones of one person; nobody has so many. */
const MAX_DEVICES = 20;

export interface TotpSetup {
  readonly id: string;
  /** Base32, for those who type it. */
  readonly secret: string;
  readonly otpauthUrl: string;
}

export interface EnabledDevice {
  readonly device: MfaDevice;
  /** Empty where the user has older ones that still work. */
  readonly recoveryCodes: readonly string[];
}

const notFound = (): AppError => codedError('NOT_FOUND', 'MFA_DEVICE_NOT_FOUND');
const wrongCode = (): AppError => codedError('VALIDATION_ERROR', 'MFA_CODE_WRONG');
const wrongPasskey = (): AppError => codedError('VALIDATION_ERROR', 'WEBAUTHN_REFUSED');

/** Second factors: setting them up, asking for them, taking them away. How often somebody may guess is for the caller to count. */
export class MfaService {
  readonly #deps: MfaDeps;
  readonly #webauthn: Webauthn | undefined;

  constructor(deps: MfaDeps) {
    this.#deps = deps;
    const { webauthn } = deps.settings;
    this.#webauthn = webauthn === undefined ? undefined : new Webauthn({ ...deps, settings: webauthn });
  }

  get isEnabled(): boolean {
    return this.#deps.settings.enabled;
  }

  /** What may be set up here. */
  get methods(): readonly MfaMethod[] {
    const { enabled, methods } = this.#deps.settings;
    return enabled ? methods.filter((method) => method !== 'webauthn' || this.#webauthn !== undefined) : [];
  }

  listDevices(user: MfaUser): Promise<readonly MfaDevice[]> {
    return listMfaDevices(this.#deps.db, user.id);
  }

  countRecoveryCodes(user: MfaUser): Promise<number> {
    return countRecoveryCodes(this.#deps.db, user.id);
  }

  /** Whether a second factor is due of this user when they sign in. */
  async hasEnabledDevice(userId: string): Promise<boolean> {
    return this.isEnabled && (await hasEnabledMfaDevice(this.#deps.db, userId));
  }

  /** What the user can prove themselves with now. */
  async methodsOf(user: MfaUser): Promise<readonly (MfaMethod | 'recovery')[]> {
    const devices = enabledOnly(await this.listDevices(user));
    const kinds = new Set<MfaMethod | 'recovery'>(devices.map(({ kind }) => kind));
    if (this.#webauthn === undefined) kinds.delete('webauthn');
    if (devices.length > 0 && (await this.countRecoveryCodes(user)) > 0) kinds.add('recovery');
    return [...kinds];
  }

  /** A secret for an authenticator app. Nothing is asked of the user until a code of it has come back. */
  async setupTotp(user: MfaUser, name = 'Authenticator app'): Promise<TotpSetup> {
    const { db, settings } = this.#deps;
    this.#requireMethod('totp');
    await this.#requireRoom(user);
    const secret = makeTotpSecret();
    const sealed = sealTotpSecret(secret, user.id, this.#deps);
    const { id } = await db.transaction(async (tx) => {
      await deleteUnprovenTotpDevices(tx, user.id); // one at a time, as a code does not say which one it is of
      return await createMfaDevice(tx, user.id, { kind: 'totp', name, secret: sealed });
    });
    const { base32, url } = describeTotp(secret, settings.issuer, user.username);
    return { id, secret: base32, otpauthUrl: url };
  }

  /** Throws MFA_CODE_WRONG when `code` is not of the secret that was set up last. */
  async enableTotp(user: MfaUser, code: string, client: MfaClient): Promise<EnabledDevice> {
    const { db, clock } = this.#deps;
    this.#requireMethod('totp');
    const device = (await this.listDevices(user)).findLast(({ kind, enabledAt }) => kind === 'totp' && enabledAt === null);
    if (device === undefined) throw notFound();
    const step = findStepOfDevice(device, code.replaceAll(/\s/g, ''), this.#deps);
    if (step === undefined) throw wrongCode();
    const enabled = await db.transaction(async (tx) => {
      const enabledAt = clock.now();
      if (!(await enableTotpDevice(tx, user.id, device.id, step, enabledAt))) throw notFound();
      return await this.#enabled(tx, user, { ...device, enabledAt }, client);
    });
    this.#deps.onChange?.(user.id);
    return enabled;
  }

  async startWebauthnRegistration(user: MfaUser) {
    const webauthn = this.#requireWebauthn();
    const devices = await this.#requireRoom(user);
    return await webauthn.startRegistration(
      user,
      devices.filter(({ kind }) => kind === 'webauthn'),
    );
  }

  /** Throws WEBAUTHN_REFUSED when the answer does not fit the question or the passkey is known already. */
  async finishWebauthnRegistration(
    user: MfaUser,
    answer: WebauthnRegistration,
    client: MfaClient,
    name = 'Passkey',
  ): Promise<EnabledDevice> {
    const webauthn = this.#requireWebauthn();
    await this.#requireRoom(user);
    const passkey = await webauthn.finishRegistration(user.id, answer);
    if (passkey === undefined) throw wrongPasskey();
    try {
      const enabled = await this.#deps.db.transaction(async (tx) => {
        const device = await createMfaDevice(tx, user.id, { ...passkey, name });
        return await this.#enabled(tx, user, device, client);
      });
      this.#deps.onChange?.(user.id);
      return enabled;
    } catch (error) {
      if (violates(error, 'mfa_devices_credential_id_key')) throw wrongPasskey();
      throw error;
    }
  }

  /** A challenge for the user's passkeys. Throws MFA_DEVICE_NOT_FOUND when they have none. */
  async webauthnLoginOptions(user: MfaUser) {
    const passkeys = enabledOnly(await this.listDevices(user)).filter(({ kind }) => kind === 'webauthn');
    if (this.#webauthn === undefined || passkeys.length === 0) throw notFound();
    return await this.#webauthn.startLogin(user.id, passkeys);
  }

  /** By what the user proved themselves, or undefined when they did not. What proved them once proves nothing again. */
  async verify(user: MfaUser, proof: MfaProof, client: MfaClient): Promise<MfaMethod | 'recovery' | undefined> {
    const devices = enabledOnly(await this.listDevices(user));
    return devices.length === 0 ? undefined : await verifyProof(proof, { user, devices, client }, this.#deps, this.#webauthn);
  }

  /** Throws MFA_DEVICE_NOT_FOUND. With the last device the recovery codes go too: there is nothing left that they stand in for. */
  async removeDevice(user: MfaUser, id: string, client: MfaClient): Promise<void> {
    const { db, record } = this.#deps;
    await db.transaction(async (tx) => {
      const device = await deleteMfaDevice(tx, user.id, id);
      if (device === undefined) throw notFound();
      if (!(await hasEnabledMfaDevice(tx, user.id))) await deleteRecoveryCodes(tx, user.id);
      await record(tx, auditOf(user, client, 'mfa.removed', device));
    });
    this.#deps.onChange?.(user.id);
  }

  /**
   * Takes all factors and recovery codes from a user who has lost them, for `entry.actor`, who may do so. Throws MFA_DEVICE_NOT_FOUND where
   * they have none.
   */
  async removeAll(tx: Db, userId: string, entry: Pick<MfaAuditEntry, 'actor' | 'address'>): Promise<void> {
    const removed = await deleteMfaDevices(tx, userId);
    if (removed === 0) throw notFound();
    await deleteRecoveryCodes(tx, userId);
    const subject = { type: 'user', id: userId };
    await this.#deps.record(tx, {
      ...entry,
      action: 'mfa.removed',
      outcome: 'success',
      subject,
      details: { by: 'administrator', removed },
    });
  }

  /** To be told after the transaction of `removeAll`. */
  forget(userId: string): void {
    this.#deps.onChange?.(userId);
  }

  /** Ten new codes; the old ones work no more. Throws MFA_DEVICE_NOT_FOUND for a user without a second factor. */
  async makeRecoveryCodes(user: MfaUser, client: MfaClient): Promise<readonly string[]> {
    const { db, record } = this.#deps;
    return await db.transaction(async (tx) => {
      if (!(await hasEnabledMfaDevice(tx, user.id))) throw notFound();
      await record(tx, auditOf(user, client, 'mfa.recovery_codes_made'));
      return await replaceCodes(tx, user);
    });
  }

  #requireMethod(method: MfaMethod): void {
    if (!this.isEnabled) throw featureDisabled('MFA_ENABLED');
    if (!this.methods.includes(method)) throw codedError('NOT_FOUND', 'FEATURE_DISABLED', { variable: 'MFA_METHOD' });
  }

  #requireWebauthn(): Webauthn {
    this.#requireMethod('webauthn');
    if (this.#webauthn === undefined) throw featureDisabled('WEBAUTHN_RP_ID');
    return this.#webauthn;
  }

  async #requireRoom(user: MfaUser): Promise<readonly MfaDevice[]> {
    const devices = await this.listDevices(user);
    if (devices.length >= MAX_DEVICES) throw reasonedError('VALIDATION_ERROR', 'too_many_second_factors', { limit: MAX_DEVICES });
    return devices;
  }

  // Choice: another device leaves the codes alone that somebody keeps on paper; codes are made where none is left.
  async #enabled(tx: Db, user: MfaUser, device: MfaDevice, client: MfaClient): Promise<EnabledDevice> {
    // one that somebody else began without a proof, while there was no factor yet, must not follow this one
    await deleteUnprovenTotpDevices(tx, user.id);
    await this.#deps.record(tx, auditOf(user, client, 'mfa.enabled', device));
    const hasCodes = (await countRecoveryCodes(tx, user.id)) > 0;
    return { device, recoveryCodes: hasCodes ? [] : await replaceCodes(tx, user) };
  }
}

const replaceCodes = async (tx: Db, user: MfaUser): Promise<readonly string[]> => {
  const codes = makeRecoveryCodes();
  const hashes = codes.map((code) => hashRecoveryCode(code, user.id)).filter((hash) => hash !== undefined);
  await replaceRecoveryCodes(tx, user.id, hashes);
  return codes;
};

/** Who proves themselves, with the devices they have enabled. */
interface Prover {
  readonly user: MfaUser;
  readonly devices: readonly MfaDevice[];
  readonly client: MfaClient;
}

/** By what `prover` proved themselves, or undefined. What proved them once proves nothing again. */
const verifyProof = async (
  proof: MfaProof,
  prover: Prover,
  deps: MfaDeps,
  webauthn: Webauthn | undefined,
): Promise<MfaMethod | 'recovery' | undefined> => {
  if ('credential' in proof)
    return webauthn !== undefined && (await isSigned(proof.credential, prover, deps, webauthn)) ? 'webauthn' : undefined;
  const code = proof.code.replaceAll(/[\s-]/g, '');
  if (await isTotpCode(code, prover, deps)) return 'totp';
  return (await isRecoveryCode(code, prover, deps)) ? 'recovery' : undefined;
};

const isTotpCode = async (code: string, { devices }: Prover, deps: MfaDeps): Promise<boolean> => {
  for (const device of devices) {
    const step = findStepOfDevice(device, code, deps);
    if (step !== undefined && (await takeTotpStep(deps.db, device.id, step, deps.clock.now()))) return true;
  }
  return false;
};

const isRecoveryCode = async (code: string, { user, client }: Prover, { db, clock, record }: MfaDeps): Promise<boolean> => {
  const hash = hashRecoveryCode(code, user.id);
  if (hash === undefined) return false;
  return await db.transaction(async (tx) => {
    const isTaken = await takeRecoveryCode(tx, user.id, hash, clock.now());
    if (isTaken) await record(tx, auditOf(user, client, 'mfa.recovery_used'));
    return isTaken;
  });
};

const isSigned = async (
  answer: WebauthnAssertion,
  { user, devices, client }: Prover,
  deps: MfaDeps,
  webauthn: Webauthn,
): Promise<boolean> => {
  const device = devices.find(({ kind, credentialId }) => kind === 'webauthn' && credentialId === answer.id);
  if (device === undefined) return false;
  const signCount = await webauthn.finishLogin(device, answer);
  if (signCount === undefined) return false;
  if (await takeSignCount(deps.db, device.id, signCount, deps.clock.now())) return true;
  // two things hold the same key: one of them is a copy
  deps.log.warn({ user_id: user.id, device_id: device.id, sign_count: signCount }, 'passkey rejected: signature counter decreased');
  await deps.record(deps.db, auditOf(user, client, 'mfa.clone_suspected', device));
  return false;
};

const CODES = 10;

/** Ten codes as a person writes them down. */
const makeRecoveryCodes = (): readonly string[] => {
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(toTypedCode(randomBytes(CODE_CHARACTERS)));
  return [...codes];
};

/** What is stored of a code, or undefined when `typed` is none. The owner is part of it, so that equal codes of two people differ. */
const hashRecoveryCode = (typed: string, userId: string): string | undefined => {
  const code = readTypedCode(typed);
  return code === undefined ? undefined : createHash('sha256').update(`${userId}:${code}`).digest('hex');
};

const contextOf = (userId: string) => ({ ownerId: userId, purpose: 'totp' });

/** What the row of an authenticator app holds of its secret. */
const sealTotpSecret = (secret: Uint8Array, userId: string, { secretKey }: MfaDeps): string =>
  sealSecret(secret, secretKey, contextOf(userId));

/** The time step that `code` of this device belongs to, if it is one of those around now. */
const findStepOfDevice = (device: MfaDevice, code: string, { secretKey, clock, log }: MfaDeps): number | undefined => {
  if (device.kind !== 'totp' || device.secret === null) return undefined;
  const secret = openSecret(device.secret, secretKey, contextOf(device.userId));
  if (secret === undefined) {
    log.error({ device_id: device.id }, 'TOTP secret decryption failed; check whether APP_SECRET_KEY was changed');
    return undefined;
  }
  return findTotpStep(secret, code, clock.now());
};

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Clocks of phones differ: the code before and the one after count too. */
const WINDOW_STEPS = 1;

// What every authenticator app knows; some take nothing else.
const parameters = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

const toOtpSecret = (secret: Uint8Array): OtpSecret => new OtpSecret({ buffer: new Uint8Array(secret).buffer });

const makeTotpSecret = (): Uint8Array => randomBytes(SECRET_BYTES);

/** The secret as a person can type it, and the URL that a QR code carries. */
const describeTotp = (secret: Uint8Array, issuer: string, username: string): { base32: string; url: string } => {
  const totp = new TOTP({ ...parameters, secret: toOtpSecret(secret), issuer, label: username });
  return { base32: totp.secret.base32, url: totp.toString() };
};

/** The time step that `code` belongs to, if it is one of those around `now`. Whether the step was used before is for the caller. */
const findTotpStep = (secret: Uint8Array, code: string, now: Date): number | undefined => {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...parameters, secret: toOtpSecret(secret) });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW_STEPS });
  return delta === null ? undefined : Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta;
};

/**
 * What proves that somebody who creates the first administrator can read the log of this service. It follows from APP_SECRET_KEY, so
 * that each start and each process prints the same one, and counts only while no user exists.
 */
export const setupCodeOf = (appSecretKey: Secret): string =>
  toTypedCode(createHmac('sha256', appSecretKey.reveal()).update('sheaf:setup-code').digest());

/** Whether `typed` is that code, however it is spaced and capitalised; in constant time for anything of the form of a code. */
export const isSetupCode = (typed: string, appSecretKey: Secret): boolean => {
  const code = readTypedCode(typed);
  const expected = readTypedCode(setupCodeOf(appSecretKey));
  return code !== undefined && expected !== undefined && timingSafeEqual(Buffer.from(code), Buffer.from(expected));
};

/** Crockford's alphabet of 32: no i, l, o or u, which are read as 1, 1, 0 and v. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Of 5 bits each: 60 bits. */
const CODE_CHARACTERS = 12;

/** The first twelve bytes as a code that people can type, in groups of four. */
const toTypedCode = (bytes: Uint8Array): string => {
  const characters = Array.from(bytes.subarray(0, CODE_CHARACTERS), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return [0, 4, 8].map((start) => characters.slice(start, start + 4).join('')).join('-');
};

/** The one form of a code that was typed from paper, without dashes, or undefined when it is none. */
const readTypedCode = (typed: string): string | undefined => {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1').replaceAll('u', 'v');
  return code.length === CODE_CHARACTERS && Array.from(code).every((character) => ALPHABET.includes(character)) ? code : undefined;
};
