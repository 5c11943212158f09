import type { MfaDevice } from '@sheaf/db/schema';
import { openSecret, sealSecret } from '@sheaf/process';
import type { MfaDeps } from './mfa-deps.ts';
import { findTotpStep } from './totp.ts';

const contextOf = (userId: string) => ({ ownerId: userId, purpose: 'totp' });

/** What the row of an authenticator app holds of its secret. */
export const sealTotpSecret = (secret: Uint8Array, userId: string, { secretKey }: MfaDeps): string =>
  sealSecret(secret, secretKey, contextOf(userId));

/** The time step that `code` of this device belongs to, if it is one of those around now. */
export const findStepOfDevice = (device: MfaDevice, code: string, { secretKey, clock, log }: MfaDeps): number | undefined => {
  if (device.kind !== 'totp' || device.secret === null) return undefined;
  const secret = openSecret(device.secret, secretKey, contextOf(device.userId));
  if (secret === undefined) {
    log.error({ device_id: device.id }, 'TOTP secret decryption failed; check whether APP_SECRET_KEY was changed');
    return undefined;
  }
  return findTotpStep(secret, code, clock.now());
};
