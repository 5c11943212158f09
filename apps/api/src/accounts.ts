import { type Accounts, makeAccounts, type SessionEnd } from '@sheaf/accounts';
import type { Audit } from '@sheaf/accounts/users';
import type { Config, FixedConfig } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { Mailer } from '@sheaf/events/notifications';
import { type Clock, type Component, type Live, type Logger, select } from '@sheaf/process';

interface AccountParts {
  readonly config: Pick<FixedConfig, 'signIn' | 'mail' | 'publicUrl'>;
  readonly settings: Live<Config>;
  readonly audit: Audit;
  readonly db: Db;
  /** What a change of a user does to what he is signed in with. */
  readonly sessions: SessionEnd;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What users' accounts are made and changed with, from the settings. */
export const openAccounts = ({ config, settings, audit, db, sessions, clock, log }: AccountParts): Accounts => {
  const mailer = config.mail === undefined ? undefined : new Mailer(config.mail);
  return makeAccounts({
    db,
    clock,
    log,
    mail: { send: mailer && ((letter) => mailer.send(letter)), publicUrl: config.publicUrl },
    sessions,
    audit,
    roles: config.signIn.roles,
    settings: select(settings, ({ signIn }) => signIn),
  });
};

/** Lets the letters that are on their way leave before the process ends. */
export const lettersOf = ({ emailVerification }: Accounts): Component => ({
  name: 'letters',
  start: async () => {},
  stop: () => emailVerification.settled(),
});
