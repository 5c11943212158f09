import { AppError } from '@sheaf/contract';
import type { OidcDriver } from '@sheaf/identity';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { type BindingCookie, type SignInDoor, sendAway, takeBack } from './federated-sign-in.ts';
import { RETURN_TEXT, START_TEXT } from './federated-text.ts';

export interface OidcRoutesDeps {
  readonly oidc: { readonly driver: OidcDriver; readonly redirectUri: string } | undefined;
  readonly door: SignInDoor;
}

const CALLBACK_PATH = '/api/auth/oidc/callback';

export const oidcIsOff = (): AppError =>
  new AppError('NOT_FOUND', 'OIDC is not enabled. Set OIDC_ENABLED=true.', {
    code: 'FEATURE_DISABLED',
    details: { variable: 'OIDC_ENABLED' },
  });

const bindingOf = (redirectUri: string): BindingCookie => ({ name: 'sheaf_oidc', returnUrl: redirectUri, isPosted: false });

const loginRoute = ({ oidc }: OidcRoutesDeps): Route =>
  streamRoute({
    method: 'get',
    path: '/api/auth/oidc/login',
    access: 'anyone',
    summary: 'Start an OpenID Connect sign-in',
    ...START_TEXT,
    stream: async ({ query }, _deps, http) => {
      if (oidc === undefined) throw oidcIsOff();
      await sendAway(() => oidc.driver.start(query.return_to), bindingOf(oidc.redirectUri), http);
    },
  });

const callbackRoute = (path: string, { oidc, door }: OidcRoutesDeps): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Redirect URI of the OpenID Connect sign-in',
    description:
      'Valid once, within ten minutes, in the browser that started the sign-in. Requests that accept only JSON get the sign-in response; others are redirected to the destination, or to `/?sign_in_error=<code>`.',
    ...RETURN_TEXT,
    // providers add parameters of their own
    query: z.looseObject({
      code: z.string().optional(),
      state: z.string().optional(),
      iss: z.string().optional(),
      error: z.string().optional(),
    }),
    stream: async ({ facts }, _deps, http) => {
      if (oidc === undefined) throw oidcIsOff();
      const { originalUrl } = http.request;
      const mark = originalUrl.indexOf('?');
      const parameters = new URLSearchParams(mark < 0 ? '' : originalUrl.slice(mark));
      const binding = bindingOf(oidc.redirectUri);
      await takeBack((cookie) => oidc.driver.finish(parameters, cookie), { http, facts, binding, door });
    },
  });

/** Signing in through OpenID Connect. The return is served under the path of OIDC_REDIRECT_URI as well, where that is another one. */
export const makeOidcRoutes = (deps: OidcRoutesDeps): readonly Route[] => {
  const own = deps.oidc === undefined ? CALLBACK_PATH : new URL(deps.oidc.redirectUri).pathname;
  return [loginRoute(deps), ...[...new Set([CALLBACK_PATH, own])].map((path) => callbackRoute(path, deps))];
};
