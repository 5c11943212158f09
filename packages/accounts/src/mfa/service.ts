import { type AppError, codedError, featureDisabled, reasonedError } from '@sheaf/contract';
import type { MfaProof, WebauthnRegistration } from '@sheaf/contract/identity';
import { type Db, violates } from '@sheaf/db';
import type { MfaDevice } from '@sheaf/db/schema';
import type { MfaMethod } from '@sheaf/vocabulary/mfa';
import {
  createMfaDevice,
  deleteMfaDevice,
  deleteMfaDevices,
  deleteUnprovenTotpDevices,
  enableTotpDevice,
  hasEnabledMfaDevice,
  listMfaDevices,
} from '../queries/mfa-devices.ts';
import { countRecoveryCodes, deleteRecoveryCodes, replaceRecoveryCodes } from '../queries/recovery-codes.ts';
import { auditOf, enabledOnly, type MfaAuditEntry, type MfaClient, type MfaDeps, type MfaUser } from './mfa-deps.ts';
import { hashRecoveryCode, makeRecoveryCodes } from './recovery-code.ts';
import { describeTotp, makeTotpSecret } from './totp.ts';
import { findStepOfDevice, sealTotpSecret } from './totp-device.ts';
import { verifyProof } from './verify-proof.ts';
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

  /** Whether a second factor is due of this user when he signs in. */
  async hasEnabledDevice(userId: string): Promise<boolean> {
    return this.isEnabled && (await hasEnabledMfaDevice(this.#deps.db, userId));
  }

  /** What the user can prove himself with now. */
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

  /** A challenge for the user's passkeys. Throws MFA_DEVICE_NOT_FOUND when he has none. */
  async webauthnLoginOptions(user: MfaUser) {
    const passkeys = enabledOnly(await this.listDevices(user)).filter(({ kind }) => kind === 'webauthn');
    if (this.#webauthn === undefined || passkeys.length === 0) throw notFound();
    return await this.#webauthn.startLogin(user.id, passkeys);
  }

  /** By what the user proved himself, or undefined when he did not. What proved him once proves nothing again. */
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
   * he has none.
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
