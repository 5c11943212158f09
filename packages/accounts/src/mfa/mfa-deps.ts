import type { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { MfaDevice, User } from '@sheaf/db/schema';
import type { Clock, Logger } from '@sheaf/process';
import type { MfaSettings } from './webauthn.ts';

export type MfaUser = Pick<User, 'id' | 'username' | 'displayName'>;

/** Where a change comes from. */
export interface MfaClient {
  readonly address: string | undefined;
}

export type MfaAction = 'mfa.enabled' | 'mfa.removed' | 'mfa.recovery_codes_made' | 'mfa.recovery_used' | 'mfa.clone_suspected';

/** What the audit log is told, in the shape of its entries. */
export interface MfaAuditEntry {
  readonly actor: { readonly userId: string; readonly username: string };
  readonly address: string | undefined;
  readonly action: MfaAction;
  readonly outcome: 'success' | 'failure';
  readonly subject: { readonly type: string; readonly id: string };
  readonly details: Record<string, unknown>;
}

export interface MfaDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: MfaSettings;
  /** Encrypts the secrets of authenticator apps. */
  readonly secretKey: Secret;
  /** Writes the audit log, in the transaction of the change. */
  readonly record: (tx: Db, entry: MfaAuditEntry) => Promise<void>;
  /** Told after a factor was enabled or removed, so that whoever remembers what the user may do asks again. */
  readonly onChange?: (userId: string) => void;
}

/** The entry for something that a user did with a device, or with their codes. */
export const auditOf = (user: MfaUser, client: MfaClient, action: MfaAction, device?: MfaDevice): MfaAuditEntry => ({
  actor: { userId: user.id, username: user.username },
  address: client.address,
  action,
  outcome: action === 'mfa.clone_suspected' ? 'failure' : 'success',
  subject: device === undefined ? { type: 'user', id: user.id } : { type: 'mfa_device', id: device.id },
  details: device === undefined ? {} : { kind: device.kind, name: device.name },
});

export const enabledOnly = (devices: readonly MfaDevice[]): readonly MfaDevice[] => devices.filter(({ enabledAt }) => enabledAt !== null);
