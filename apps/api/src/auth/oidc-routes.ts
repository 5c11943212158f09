import type { FederatedStart, OidcDriver } from '@sheaf/accounts';
import { type AppError, codedError } from '@sheaf/contract';
import { loginAnswer } from '@sheaf/contract/identity';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { type BindingCookie, type FederatedSignInService, sendAway, takeBack } from './federated-sign-in.ts';

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

const LOCATION = { Location: 'destination after the sign-in' };

/** What the interface's text says alike of the ways to and from any provider. */
const START_TEXT = {
  description:
    'Open this URL in a browser. `return_to` is a path of this service; other values redirect to `/`. If the provider is not available, browsers are redirected to `/?sign_in_error=<code>`; clients that accept only JSON get the error.',
  errors: { FEATURE_DISABLED: 'NOT_FOUND', SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE' },
  query: z.strictObject({ return_to: z.string().optional() }),
  content: { answers: [{ status: 302, description: 'Redirect to the provider, or to the start page with the error', headers: LOCATION }] },
} as const;

export const RETURN_TEXT = {
  errors: {
    FEATURE_DISABLED: 'NOT_FOUND',
    SIGN_IN_EXPIRED: 'UNAUTHORIZED',
    SIGN_IN_INVALID: 'UNAUTHORIZED',
    SIGN_IN_REFUSED: 'FORBIDDEN',
    SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  },
  content: {
    answers: [
      { status: 200, description: 'Signed in (clients that accept only JSON)', schema: loginAnswer },
      { status: 302, description: 'Redirect with the session cookie, or with the error', headers: LOCATION },
    ],
  },
} as const;

interface StartRouteParts {
  readonly path: string;
  readonly summary: string;
  /** Undefined where none is set up. */
  readonly provider:
    | {
        readonly driver: { start(returnTo: string | undefined): Promise<FederatedStart> };
        readonly binding: BindingCookie;
      }
    | undefined;
  readonly isOff: () => AppError;
}

/** GET of the way to an identity provider. */
export const startRoute = ({ path, summary, provider, isOff }: StartRouteParts): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    carriesCredentials: true,
    summary,
    ...START_TEXT,
    stream: async ({ query }, http) => {
      if (provider === undefined) throw isOff();
      await sendAway(() => provider.driver.start(query.return_to), provider.binding, http);
    },
  });
