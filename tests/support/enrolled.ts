import { type Answer, ApiClient } from '@sheaf/testkit';
import { z } from 'zod';
import { conditionOf } from './error-condition.ts';
import type { RunningApi } from './running-api.ts';
import { codeOf } from './second-factors.ts';

export const PASSWORD = 'correct horse battery';
export const WRONG_CODE = '000000';

const setupBody = z.object({ id: z.string(), secret: z.string(), otpauth_url: z.string() });
const enableBody = z.object({ enabled: z.literal(true), recovery_codes: z.array(z.string()) });

/** An authenticator app that was proven. */
export interface Factor {
  readonly id: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Somebody of whom a code is asked when they sign in. `client` was signed in before. */
export interface Enrolled {
  readonly userId: string;
  readonly username: string;
  readonly email: string;
  readonly client: ApiClient;
  readonly factor: Factor;
}

/** The code of an error, or undefined where there is none. */
export const errorOf = ({ body }: Answer): unknown => conditionOf(body);

/** Gives whom `client` is signed in as an authenticator app, as they would do it themselves. */
export const enroll = async (client: ApiClient, password = PASSWORD): Promise<Factor> => {
  const { id, secret } = setupBody.parse((await client.post('/api/auth/mfa/totp/setup', { password })).body);
  const enabled = await client.post('/api/auth/mfa/totp/enable', { code: codeOf(secret, new Date()) });
  return { id, secret, recoveryCodes: enableBody.parse(enabled.body).recovery_codes };
};

let made = 0;

export const givenEnrolled = async (api: RunningApi, role = 'viewer'): Promise<Enrolled> => {
  made += 1;
  const username = `enrolled-${made}`;
  const email = `${username}@example.org`;
  const { body } = await api.admin.post('/api/auth/register', { username, email, password: PASSWORD, role });
  const client = await api.anyone.login(username);
  return { userId: String(body['id']), username, email, client, factor: await enroll(client) };
};

/** A code that works now, as if the ones before had been used a while ago. */
export const freshCode = async ({ database }: RunningApi, { id, secret }: Factor): Promise<string> => {
  await database.pool.query('update mfa_devices set last_step = last_step - 10 where id = $1', [id]);
  return codeOf(secret, new Date());
};

/** The token that stands for the first step, which it passes with the right password. */
export const firstStep = async ({ anyone }: RunningApi, username: string, password = PASSWORD): Promise<string> => {
  const { status, body } = await anyone.post('/api/auth/login', { username, password });
  if (status !== 200 || body['mfa_required'] !== true) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`);
  return String(body['mfa_token']);
};

export const secondStep = ({ anyone }: RunningApi, token: string, code: string): Promise<Answer> =>
  anyone.post('/api/auth/mfa/verify', { mfa_token: token, code });

/** Whom the answer of a sign-in lets in; the status of a request with its token tells how far. */
export const clientFrom = ({ anyone }: RunningApi, { body }: Answer): ApiClient => new ApiClient(anyone.url, String(body['token']));

export const countSessions = async ({ database }: RunningApi, userId: string): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*)::int as count from sessions where user_id = $1 and revoked_at is null',
    [userId],
  );
  return rows[0]?.count ?? 0;
};

/** Tests make all their mistakes from one address, which would be locked before long. */
export const forgiveAddress = async ({ database }: RunningApi): Promise<void> => {
  await database.pool.query("delete from login_failures where subject like 'address:%'");
};
