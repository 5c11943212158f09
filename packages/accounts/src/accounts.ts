import type { Db } from '@sheaf/db';
import { type Clock, type Live, type Logger, select } from '@sheaf/process';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import { EmailVerification, type Letter } from './email-verification.ts';
import { GivenPassword } from './given-password.ts';
import { Invitations } from './invitations.ts';
import { Lockout, type LockoutSettings } from './lockout.ts';
import { OwnPassword } from './own-password.ts';
import type { PasswordPolicy } from './password-policy.ts';
import { Registration, type RegistrationSettings } from './registration.ts';
import { adminRoles } from './roles.ts';
import type { SessionEnd } from './session-end.ts';
import { type Audit, recordAudit } from './users/index.ts';

export interface AccountsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mail: AccountMail;
  readonly sessions: SessionEnd;
  /** Writes the audit log, and may tell users of what concerns them; the log alone where none is given. */
  readonly audit?: Audit;
  readonly roles: ConfiguredRoles;
  readonly settings: Live<AccountSettings>;
}

/** How users get letters with links into the service. */
interface AccountMail {
  /** Undefined where no mail server is named. */
  readonly send: ((letter: Letter) => Promise<void>) | undefined;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

export interface AccountSettings extends RegistrationSettings {
  readonly emailVerificationRequired: boolean;
  readonly lockout: LockoutSettings;
}

/** What users' accounts are made and changed with. */
export interface Accounts {
  readonly roles: ConfiguredRoles;
  /** The roles of administrators, which the database can neither add nor take away. */
  readonly adminRoles: readonly string[];
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly lockout: Lockout;
  readonly registration: Registration;
  readonly invitations: Invitations;
  readonly emailVerification: EmailVerification;
  readonly ownPassword: OwnPassword;
  readonly givenPassword: GivenPassword;
  readonly sessions: SessionEnd;
}

export const makeAccounts = (deps: AccountsDeps): Accounts => {
  const { db, clock, log, mail, sessions, roles, settings, audit = recordAudit } = deps;
  const passwordPolicy = select(settings, (current) => current.passwordPolicy);
  const emailVerification = new EmailVerification({
    db,
    clock,
    log,
    sendMail: mail.send,
    isRequired: select(settings, ({ emailVerificationRequired }) => emailVerificationRequired),
    publicUrl: mail.publicUrl,
  });
  const lockout = new Lockout({ db, clock, settings: select(settings, (current) => current.lockout) });
  return {
    roles,
    adminRoles: adminRoles(roles.permissions),
    passwordPolicy,
    lockout,
    registration: new Registration({
      db,
      clock,
      log,
      emailVerification,
      roles,
      settings,
    }),
    invitations: new Invitations({ db, clock, log, passwordPolicy, sendMail: mail.send }),
    emailVerification,
    ownPassword: new OwnPassword({ db, clock, lockout, sessions, passwordPolicy, audit }),
    givenPassword: new GivenPassword({ db, clock, sessions, passwordPolicy, audit }),
    sessions,
  };
};
