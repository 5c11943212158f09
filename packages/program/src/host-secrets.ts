import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { FixedConfig } from '@sheaf/config';
import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { and, gt, ne, sql } from '@sheaf/db/drizzle';
import { processes } from '@sheaf/db/schema';
import { type Clock, type Component, FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

interface OwnSecret {
  readonly variable: string;
  readonly mark: string;
  /** The host of this process. */
  readonly besides: string;
  readonly since: Date;
}

/** Another host with a process that was heard of since `since` and has another secret under this name. */
const findOtherSecret = async (db: Db, { variable, mark, besides, since }: OwnSecret): Promise<string | undefined> => {
  const [row] = await db
    .select({ host: processes.host })
    .from(processes)
    .where(
      and(ne(processes.host, besides), gt(processes.seenAt, since), sql`${processes.facts} -> 'secrets' ->> ${variable}::text <> ${mark}`),
    )
    .limit(1);
  return row?.host;
};

/** A process that was silent for longer does not run. */
const SILENCE_MS = 30_000;

/** By the variable that sets each, what tells one secret from another and nothing else of it. */
export type SecretMarks = Readonly<Record<string, string>>;

const markOf = (secret: Secret): string => createHmac('sha256', secret.reveal()).update('sheaf:host-secret').digest('hex').slice(0, 32);

/** Of the secrets that a process shares with those of other hosts: what one has sealed or signed another one opens. */
export const secretMarks = (processName: string, { signIn, tokens }: Pick<FixedConfig, 'signIn' | 'tokens'>): SecretMarks => {
  const sealing = { APP_SECRET_KEY: markOf(signIn.appSecretKey) };
  if (processName === 'sync') return sealing;
  return processName === 'api' ? { ...sealing, JWT_SECRET: markOf(tokens.secret), SESSION_SECRET: markOf(signIn.sessionSecret) } : {};
};

interface HostSecretsParts {
  readonly db: Db;
  readonly marks: SecretMarks;
  readonly clock: Clock;
}

/** Refuses to start beside another running host that has another secret: sign-ins would hold at one of them only, and sealed passwords would not open. */
export const makeHostSecretsCheck = ({ db, marks, clock }: HostSecretsParts): Component => ({
  name: 'host-secrets',
  start: async () => {
    const since = new Date(clock.now().getTime() - SILENCE_MS);
    for (const [variable, mark] of Object.entries(marks)) {
      const host = await findOtherSecret(db, { variable, mark, besides: hostname(), since });
      if (host !== undefined) throw new FatalError(makeProblem('host_secret_differs', { variable, host }), EXIT.configuration);
    }
  },
  stop: async () => {},
});
