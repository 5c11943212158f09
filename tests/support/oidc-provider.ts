import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { type ClientMetadata, Provider } from 'oidc-provider';
import { CookieJar } from './cookie-jar.ts';

export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly signingKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** Claims by subject; what stands here is what the provider says. */
  readonly accounts: Map<string, Record<string, unknown>>;
  /** Paths that were asked for. */
  readonly seen: string[];
  /** Goes through the provider's pages as `login` and answers where it sends the browser at the end. */
  readonly signIn: (url: string, login: string) => Promise<URL>;
}

export const KEY_ID = 'signing-key';

const isForm = (html: string): boolean => /<form/i.test(html);

/** What a browser does: follows redirects, keeps cookies, fills in forms. Ends at the first address outside the provider. */
const walk = async (issuer: string, start: string, login: string): Promise<URL> => {
  const jar = new CookieJar();
  let next = new Request(start);
  for (let step = 0; step < 20; step += 1) {
    next.headers.set('cookie', jar.header());
    const from = next.url;
    const response = await fetch(next, { redirect: 'manual' });
    jar.take(response);
    const location = response.headers.get('location');
    const html = await response.text();
    if (location !== null) {
      const target = new URL(location, from);
      if (target.origin !== issuer) return target;
      next = new Request(target);
    } else if (isForm(html)) {
      const action = /action="([^"]+)"/.exec(html)?.[1] ?? from;
      const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? '';
      next = new Request(new URL(action, from), { method: 'POST', body: new URLSearchParams({ prompt, login, password: 'any' }) });
    } else throw new Error(`The provider answered ${response.status} at ${from}: ${html.slice(0, 500)}`);
  }
  throw new Error('The provider sends the browser round in circles');
};

/** A real OpenID Connect provider in this process, on loopback. Whoever writes a name into its form is signed in under it. */
export const startOidcProvider = async (clients: readonly ClientMetadata[], basePath = ''): Promise<RunningProvider> => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => {
    running.seen.push(request.url ?? '');
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`;
  const accounts = new Map<string, Record<string, unknown>>();
  const provider = new Provider(issuer, {
    clients: [...clients],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['only for tests'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      rights: ['groups', 'realm_access', 'https://sheaf.example/groups', 'hd'],
    },
    // the id token carries what was asked for as well, and not only the user info endpoint
    conformIdTokenClaims: false,
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
  });
  provider.on('server_error', (_context, error) => process.stderr.write(`oidc-provider: ${error.stack}\n`));
  const callback = provider.callback();
  listener = (request, response) => void callback(request, response);
  const running: RunningProvider = {
    issuer,
    signingKey: privateKey,
    publicKey,
    accounts,
    seen: [],
    signIn: (url, login) => walk(new URL(issuer).origin, url, login),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
};
