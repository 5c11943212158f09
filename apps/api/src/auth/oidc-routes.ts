import type { OidcDriver } from '@sheaf/accounts';
import { type AppError, codedError } from '@sheaf/contract';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { RETURN_TEXT, startRoute } from './federated-routes.ts';
import { type BindingCookie, type FederatedSignInService, takeBack } from './federated-sign-in.ts';

export interface OidcRoutesParts {
  readonly oidc: { readonly driver: OidcDriver; readonly redirectUri: string } | undefined;
  readonly signInService: FederatedSignInService;
}

const CALLBACK_PATH = '/api/auth/oidc/callback';

export const oidcIsOff = (): AppError => codedError('NOT_FOUND', 'FEATURE_DISABLED', { variable: 'OIDC_ENABLED' });

const bindingOf = (redirectUri: string): BindingCookie => ({ name: 'sheaf_oidc', returnUrl: redirectUri, isPosted: false });

const callbackRoute = (path: string, { oidc, signInService }: OidcRoutesParts): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    carriesCredentials: true,
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
    stream: async ({ context }, http) => {
      if (oidc === undefined) throw oidcIsOff();
      const { originalUrl } = http.request;
      const mark = originalUrl.indexOf('?');
      const parameters = new URLSearchParams(mark < 0 ? '' : originalUrl.slice(mark));
      const binding = bindingOf(oidc.redirectUri);
      await takeBack((cookie) => oidc.driver.finish(parameters, cookie), { http, context, binding, signInService });
    },
  });

/** Signing in through OpenID Connect. The return is served under the path of OIDC_REDIRECT_URI as well, where that is another one. */
export const makeOidcRoutes = (services: OidcRoutesParts): readonly Route[] => {
  const own = services.oidc === undefined ? CALLBACK_PATH : new URL(services.oidc.redirectUri).pathname;
  return [
    startRoute({
      path: '/api/auth/oidc/login',
      summary: 'Start an OpenID Connect sign-in',
      provider: services.oidc && { driver: services.oidc.driver, binding: bindingOf(services.oidc.redirectUri) },
      isOff: oidcIsOff,
    }),
    ...[...new Set([CALLBACK_PATH, own])].map((path) => callbackRoute(path, services)),
  ];
};
