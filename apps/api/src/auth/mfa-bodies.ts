import type { MfaService, MfaUser } from '@sheaf/accounts';
import type { MfaBody, MfaDeviceBody } from '@sheaf/contract/identity';
import type { MfaDevice } from '@sheaf/db/schema';

export const toMfaDeviceBody = (device: MfaDevice): MfaDeviceBody => ({
  id: device.id,
  type: device.kind,
  name: device.name,
  enabled: device.enabledAt !== null,
  created_at: device.createdAt.toISOString(),
  last_used_at: device.lastUsedAt?.toISOString() ?? null,
});

/** Everything that a user may know of his second factors. */
export const toMfaBody = async (mfa: MfaService, user: MfaUser): Promise<MfaBody> => {
  const [devices, left, isAsked] = await Promise.all([mfa.listDevices(user), mfa.countRecoveryCodes(user), mfa.hasEnabledDevice(user.id)]);
  return { enabled: isAsked, methods: [...mfa.methods], devices: devices.map(toMfaDeviceBody), recovery_codes_left: left };
};
