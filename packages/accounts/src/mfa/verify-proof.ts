import type { MfaProof, WebauthnAssertion } from '@sheaf/contract/identity';
import type { MfaDevice } from '@sheaf/db/schema';
import type { MfaMethod } from '@sheaf/vocabulary/mfa';
import { takeSignCount, takeTotpStep } from '../queries/mfa-devices.ts';
import { takeRecoveryCode } from '../queries/recovery-codes.ts';
import { auditOf, type MfaClient, type MfaDeps, type MfaUser } from './mfa-deps.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { findStepOfDevice } from './totp-device.ts';
import type { Webauthn } from './webauthn.ts';

/** Who proves himself, with the devices he has enabled. */
export interface Prover {
  readonly user: MfaUser;
  readonly devices: readonly MfaDevice[];
  readonly client: MfaClient;
}

/** By what `prover` proved himself, or undefined. What proved him once proves nothing again. */
export const verifyProof = async (
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
