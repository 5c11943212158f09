import { ApiClient } from '@sheaf/testkit';
import type { RunningApi } from './running-api.ts';

export type Headers = Readonly<Record<string, string>>;

const PASSWORD = 'correct horse battery';

export const bearer = (token: unknown): Headers => ({ authorization: `Bearer ${String(token)}` });

interface Key {
  readonly id: string;
  readonly key: string;
  readonly headers: Headers;
}

interface Browser {
  readonly cookie: string;
  readonly csrf: string;
}

/** A user of their own, signed in, with all the kinds of credentials there are. */
export interface Person {
  readonly id: string;
  readonly client: ApiClient;
  readonly token: string;
  readonly refreshToken: string;
  readonly openBrowser: () => Promise<Browser>;
  readonly makeKey: (scope: readonly string[]) => Promise<Key>;
}

/** The header Cookie that a browser sends after an answer with these. */
const cookieHeader = (cookies: readonly string[]): string => cookies.map((cookie) => cookie.split(';')[0]).join('; ');

const signIn = async ({ anyone }: RunningApi, username: string, wishes: object = {}) => {
  const response = await anyone.request('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD, ...wishes }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`login answered ${response.status}: ${JSON.stringify(body)}`);
  return { body, cookies: response.headers.getSetCookie() };
};

/** Signs in as a browser does. */
export const openBrowser = async (api: RunningApi, username: string): Promise<Browser> => {
  const { body, cookies } = await signIn(api, username, { cookie: true });
  return { cookie: cookieHeader(cookies), csrf: String(body['csrf_token']) };
};

let made = 0;

export const givenPerson = async (api: RunningApi, role: string): Promise<Person> => {
  made += 1;
  const username = `person-${made}`;
  const user = await api.admin.post('/api/auth/register', { username, email: `${username}@example.org`, password: PASSWORD, role });
  const { body } = await signIn(api, username);
  const token = String(body['token']);
  const client = new ApiClient(api.anyone.url, token);
  return {
    id: String(user.body['id']),
    client,
    token,
    refreshToken: String(body['refresh_token']),
    openBrowser: () => openBrowser(api, username),
    makeKey: async (scope) => {
      const { status, body: made } = await client.post('/api/keys', { name: 'a key', scope });
      if (status !== 201) throw new Error(`a key was answered with ${status}: ${JSON.stringify(made)}`);
      const key = String(made['key']);
      return { id: String(made['id']), key, headers: { 'x-api-key': key } };
    },
  };
};
