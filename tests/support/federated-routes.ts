import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExternalIdentity } from '@sheaf/accounts';
import { errorEnvelope, type FederatedSignIn, type FederatedSignInService, parseInput, type Route } from '@sheaf/api/testing';
import { AppError } from '@sheaf/contract';
import { silentLogger, systemClock, uuidv7 } from '@sheaf/process';
import express, { type RequestHandler } from 'express';

/** Stands where the sign-in service stands, and remembers whose sign-in was reported. Refuses `stranger`, asks `careful` for a second factor. */
export class TestSignInService implements FederatedSignInService {
  readonly seen: { readonly identity: ExternalIdentity; readonly wishesCookie: boolean }[] = [];

  async signIn(identity: ExternalIdentity, _client: unknown, { cookie }: { readonly cookie: boolean }): Promise<FederatedSignIn> {
    this.seen.push({ identity, wishesCookie: cookie });
    const { username = '' } = identity;
    if (username === 'stranger') throw new AppError('FORBIDDEN', 'Nobody here knows you', { code: 'ACCOUNT_NOT_KNOWN' });
    if (username === 'careful') return { kind: 'mfa', mfaToken: 'step & token', methods: ['totp', 'recovery'] };
    const user = { id: uuidv7(), username, email: identity.email ?? '', role: 'viewer' };
    const login = { token: 'a.b.c', user, expires_at: new Date().toISOString() };
    return { kind: 'session', login, cookie: cookie ? { value: 'the-session', expiresAt: undefined, csrfToken: 'x' } : undefined };
  }

  setSessionCookie(...[response, { value }]: Parameters<FederatedSignInService['setSessionCookie']>): void {
    response.cookie('session', value, { httpOnly: true });
  }
}

/** A route as the api runs it, without what the api does around it: these are open to anybody and ask for nothing of its parts. */
const handlerOf =
  (route: Route): RequestHandler =>
  async (request, response) => {
    if (route.kind !== 'stream') throw new Error(`${route.path} does not answer by itself`);
    const query = route.query === undefined ? undefined : parseInput(route.query, request.query, 'query');
    const connection = { isSecure: false, isLocal: true, device: undefined };
    const context = { id: 'test', address: request.ip, headers: request.headers, connection, signal: new AbortController().signal };
    const input = { params: undefined, query, body: undefined, principal: undefined, context };
    await route.stream(input as never, { request, response });
  };

export interface ServedRoutes extends AsyncDisposable {
  readonly origin: string;
}

export const serveRoutes = async (routes: readonly Route[]): Promise<ServedRoutes> => {
  const app = express();
  for (const route of routes) app[route.method](route.path, handlerOf(route));
  app.use(errorEnvelope(silentLogger(), systemClock));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
