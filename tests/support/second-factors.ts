import { type MfaAuditEntry, MfaService, type MfaSettings } from '@sheaf/accounts/testing/mfa';
import { Secret } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Clock, silentLogger } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import { Secret as OtpSecret, TOTP } from 'otpauth';

export const LOCALHOST = { rpId: 'localhost', rpName: 'Sheaf', origins: [], attestation: 'none' } as const;
export const HERE = { address: '127.0.0.1' };
export const SECRET_KEY = new Secret('k'.repeat(48));

/** A clock that stands until it is moved. */
export class MovableClock implements Clock {
  #ms: number;

  constructor(text = '2026-11-20T10:00:00.000Z') {
    this.#ms = Date.parse(text);
  }

  now(): Date {
    return new Date(this.#ms);
  }

  move(seconds: number): void {
    this.#ms += seconds * 1_000;
  }
}

export interface MfaBench {
  readonly mfa: MfaService;
  readonly clock: MovableClock;
  /** What the audit log was told. */
  readonly audit: MfaAuditEntry[];
  /** Whose factors changed. */
  readonly changed: string[];
}

export const openMfa = (db: Db, changes: Partial<MfaSettings> = {}, secretKey: Secret = SECRET_KEY): MfaBench => {
  const clock = new MovableClock();
  const audit: MfaAuditEntry[] = [];
  const changed: string[] = [];
  const settings: MfaSettings = { enabled: true, methods: ['totp', 'webauthn'], issuer: 'Sheaf', webauthn: LOCALHOST, ...changes };
  const record = async (_tx: Db, entry: MfaAuditEntry): Promise<void> => void audit.push(entry);
  const onChange = (userId: string): void => void changed.push(userId);
  const mfa = new MfaService({ db, clock, log: silentLogger(), settings, secretKey, record, onChange });
  return { mfa, clock, audit, changed };
};

/** What an authenticator app shows at `now`, or some steps of 30 seconds away from it. */
export const codeOf = (secret: string, now: Date, steps = 0): string =>
  new TOTP({ secret: OtpSecret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 });

/** Somebody with an authenticator app, set up two minutes ago. */
export const givenTotpUser = async (
  db: Db,
  { mfa, clock }: MfaBench,
): Promise<{ user: User; secret: string; recoveryCodes: readonly string[] }> => {
  const user = await givenUser(db);
  const { secret } = await mfa.setupTotp(user);
  const { recoveryCodes } = await mfa.enableTotp(user, codeOf(secret, clock.now()), HERE);
  clock.move(120);
  return { user, secret, recoveryCodes };
};
