import {
  type Client,
  type ExternalIdentity,
  type FederatedEnd,
  type FederatedStart,
  MAX_RESPONSE_BYTES,
  OidcCheck,
  OidcDriver,
  type OidcDriverDeps,
  SamlDriver,
  type SessionCookie,
} from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { AppError, codedError, validationError } from '@sheaf/contract';
import { type LoginBody, loginAnswer, mfaRequiredBody } from '@sheaf/contract/identity';
import { serviceProblem } from '@sheaf/contract/operations';
import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import type { Request, Response } from 'express';
import express from 'express';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';
import { type RequestContext, type Route, streamRoute } from '../http/route.ts';
import { type AuthServices, clientOf } from './answer-sign-in.ts';
import { readCookie, sessionCookies } from './session-cookie.ts';

export type FederatedSignIn =
  | { readonly kind: 'session'; readonly login: LoginBody; readonly cookie?: SessionCookie | undefined }
  | { readonly kind: 'mfa'; readonly mfaToken: string; readonly methods: readonly string[] };

/** What the routes of identity providers need of the one sign-in service. */
export interface FederatedSignInService {
  /** Decides about somebody whom an identity provider has named. Throws FORBIDDEN. */
  signIn(
    identity: ExternalIdentity,
    client: Client,
    options: { readonly cookie: boolean; readonly rememberMe: boolean },
  ): Promise<FederatedSignIn>;
  setSessionCookie(response: Response, cookie: SessionCookie): void;
}

/** The cookie that binds a sign-in to the browser that began it. */
export interface BindingCookie {
  readonly name: string;
  /** Where the browser comes back to, as it sees it. */
  readonly returnUrl: string;
  /** Whether the answer comes as a form that another site sends; browsers add only cookies that say so, over https. */
  readonly isPosted: boolean;
}

/** Choice: only who names JSON and takes no page gets the answer as JSON. Browsers always take pages. */
const wantsJson = (request: Request): boolean => request.accepts(['html', 'json']) === 'json';

const attributesOf = ({ returnUrl, isPosted }: BindingCookie) => {
  const { protocol, pathname } = new URL(returnUrl);
  const secure = protocol === 'https:';
  return { httpOnly: true, secure, path: pathname, sameSite: isPosted && secure ? ('none' as const) : ('lax' as const) };
};

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Leads a browser to the first page with the code of the error, and nothing of what came in. Throws it for who takes only JSON. */
const answerSignInError = (error: unknown, { request, response }: Exchange): void => {
  if (wantsJson(request) || !(error instanceof AppError)) throw error;
  response.redirect(302, `/?${new URLSearchParams({ sign_in_error: error.code })}`);
};

/** Sends the browser to the identity provider; where that cannot be asked, back to the first page. */
export const sendAway = async (begin: () => Promise<FederatedStart>, binding: BindingCookie, http: Exchange): Promise<void> => {
  const { response } = http;
  response.setHeader('Cache-Control', 'no-store');
  try {
    const { url, cookie } = await begin();
    response.cookie(binding.name, cookie.value, { ...attributesOf(binding), maxAge: cookie.maxAgeMs });
    response.redirect(302, url);
  } catch (error) {
    answerSignInError(error, http);
  }
};

interface Return {
  readonly http: Exchange;
  readonly context: RequestContext;
  readonly binding: BindingCookie;
  readonly signInService: FederatedSignInService;
}

const writeAnswer = (signedIn: FederatedSignIn, returnTo: string, isJson: boolean, { http: { response }, signInService }: Return): void => {
  if (signedIn.kind === 'mfa') {
    const body = { mfa_required: true as const, mfa_token: signedIn.mfaToken, methods: [...signedIn.methods] };
    // behind a # it reaches the page, but no server and no log
    if (isJson) response.status(200).json(mfaRequiredBody.parse(body));
    else response.redirect(302, `/#${new URLSearchParams({ mfa_token: body.mfa_token, methods: body.methods.join() })}`);
    return;
  }
  if (signedIn.cookie !== undefined) signInService.setSessionCookie(response, signedIn.cookie);
  if (isJson) response.status(200).json(signedIn.login);
  else response.redirect(302, returnTo);
};

/** Ends a sign-in that came back: with the session cookie to where it was begun, with JSON, or with why not. */
export const takeBack = async (finish: (cookie: string | undefined) => Promise<FederatedEnd>, returned: Return): Promise<void> => {
  const { http, context, binding, signInService } = returned;
  const isJson = wantsJson(http.request);
  http.response.setHeader('Cache-Control', 'no-store');
  http.response.clearCookie(binding.name, attributesOf(binding));
  try {
    const { identity, returnTo } = await finish(readCookie(http.request.headers.cookie, binding.name));
    const signedIn = await signInService.signIn(identity, clientOf(context), { cookie: !isJson, rememberMe: false });
    writeAnswer(signedIn, returnTo, isJson, returned);
  } catch (error) {
    answerSignInError(error, http);
  }
};

export interface OidcRoutesParts {
  readonly oidc: { readonly driver: OidcDriver; readonly redirectUri: string } | undefined;
  readonly signInService: FederatedSignInService;
}

const CALLBACK_PATH = '/api/auth/oidc/callback';

export const oidcIsOff = (): AppError => codedError('NOT_FOUND', 'FEATURE_DISABLED', { variable: 'OIDC_ENABLED' });

const oidcBinding = (redirectUri: string): BindingCookie => ({ name: 'sheaf_oidc', returnUrl: redirectUri, isPosted: false });

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
      const binding = oidcBinding(oidc.redirectUri);
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
      provider: services.oidc && { driver: services.oidc.driver, binding: oidcBinding(services.oidc.redirectUri) },
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

const reportBody = z
  .strictObject({
    status: z.enum(HEALTH_STATUSES),
    issuer: z.string(),
    checks: z.array(
      z.strictObject({ name: z.enum(['discovery', 'keys', 'client']), status: z.enum(HEALTH_STATUSES), ...serviceProblem.shape }),
    ),
  })
  .meta({ id: 'OidcCheck' });

// Choice: where OIDC is not set up there is nothing to be healthy, so this is 404 FEATURE_DISABLED as with any feature that is off.
export const makeOidcCheckRoute = (check: OidcCheck | undefined): Route =>
  streamRoute({
    method: 'get',
    path: '/api/health/auth/oidc',
    access: 'anyone',
    isProbe: true,
    summary: 'Check the OpenID Connect provider',
    description: 'Checks the provider at most every 30 seconds. The client secret is verified only at a sign-in.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: {
      answers: [
        { status: 200, description: 'OIDC is available', schema: reportBody },
        { status: 503, description: 'OIDC is not available', schema: reportBody },
      ],
    },
    stream: async (_input, { response }) => {
      if (check === undefined) throw oidcIsOff();
      const report = reportBody.parse(await check.report());
      response.status(report.status === 'unhealthy' ? 503 : 200).json(report);
    },
  });

/** The identity providers that are set up, and who is notified of those they name. */
export interface Federation {
  readonly oidc: OidcDriver | undefined;
  readonly oidcCheck: OidcCheck | undefined;
  readonly saml: SamlDriver | undefined;
  readonly signInService: FederatedSignInService;
}

/** The one sign-in service, as the routes of identity providers see it. */
const signInServiceOf = ({ identity, config }: Pick<AuthServices, 'identity' | 'config'>): FederatedSignInService => ({
  signIn: async (who, client, options) => {
    const { answer, cookie } = await identity.signIn.withExternal(who, client, options);
    if ('mfa_required' in answer) return { kind: 'mfa', mfaToken: answer.mfa_token, methods: answer.methods };
    return { kind: 'session', login: answer, cookie };
  },
  setSessionCookie: (response, cookie) => {
    for (const line of sessionCookies(cookie, config.sessions.cookie, response.req.secure)) response.append('Set-Cookie', line);
  },
});

export const openFederation = (
  { oidc, saml }: Pick<FixedConfig, 'oidc' | 'saml'>,
  parts: Omit<OidcDriverDeps, 'settings'>,
  services: Pick<AuthServices, 'identity' | 'config'>,
): Federation => {
  const driver = oidc && new OidcDriver({ ...parts, settings: oidc });
  return {
    oidc: driver,
    oidcCheck: oidc && driver && new OidcCheck(oidc, driver.provider, parts.clock),
    saml: saml && new SamlDriver({ ...parts, settings: saml }),
    signInService: signInServiceOf(services),
  };
};

/** The routes of identity providers. Those that are not set up answer that they are off. */
export const federationRoutes = ({ oidc, saml }: Pick<FixedConfig, 'oidc' | 'saml'>, federation: Federation): readonly Route[] => {
  const { signInService } = federation;
  return [
    ...makeOidcRoutes({ oidc: oidc && federation.oidc && { driver: federation.oidc, redirectUri: oidc.redirectUri }, signInService }),
    ...makeSamlRoutes({ saml: saml && federation.saml && { driver: federation.saml, acsUrl: saml.acsUrl }, signInService }),
    makeOidcCheckRoute(federation.oidcCheck),
  ];
};

interface SamlRoutesParts {
  readonly saml: { readonly driver: SamlDriver; readonly acsUrl: string } | undefined;
  readonly signInService: FederatedSignInService;
}

const ACS_PATH = '/api/auth/saml/acs';

const samlIsOff = (): AppError => codedError('NOT_FOUND', 'FEATURE_DISABLED', { variable: 'SAML2_IDP_METADATA_URL' });

const samlBinding = (acsUrl: string): BindingCookie => ({ name: 'sheaf_saml', returnUrl: acsUrl, isPosted: true });

/** RelayState is taken and left: where to go on is remembered here and not by the browser. */
const acsForm = z.looseObject({ SAMLResponse: z.string().min(1), RelayState: z.string().optional() });

const readForm = express.urlencoded({ extended: false, limit: MAX_RESPONSE_BYTES, parameterLimit: 10 });

const readResponse = async (request: Request, response: Response): Promise<string> => {
  if (request.is('application/x-www-form-urlencoded') === false) {
    throw validationError('Send the SAML response as application/x-www-form-urlencoded.', {
      content_type: request.get('content-type') ?? null,
    });
  }
  await new Promise<void>((resolve, reject) =>
    readForm(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error))),
  );
  return parseInput(acsForm, request.body, 'body').SAMLResponse;
};

const acsRoute = (path: string, { saml, signInService }: SamlRoutesParts): Route =>
  streamRoute({
    method: 'post',
    path,
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Assertion consumer service of the SAML 2.0 sign-in',
    description:
      'Accepts a form with `SAMLResponse` without a CSRF token; a response is valid once, in the browser that started the sign-in. IdP-initiated sign-ins are rejected. Requests that accept only JSON get the sign-in response; others are redirected to the destination, or to `/?sign_in_error=<code>`.',
    ...RETURN_TEXT,
    stream: async ({ context }, http) => {
      if (saml === undefined) throw samlIsOff();
      const answer = await readResponse(http.request, http.response);
      const binding = samlBinding(saml.acsUrl);
      await takeBack((cookie) => saml.driver.finish(answer, cookie), { http, context, binding, signInService });
    },
  });

const metadataRoute = ({ saml }: SamlRoutesParts): Route =>
  streamRoute({
    method: 'get',
    path: '/api/auth/saml/metadata',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Get the SAML 2.0 service provider metadata',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [{ status: 200, description: 'The metadata', contentTypes: ['application/samlmetadata+xml'] }] },
    stream: async (_input, { response }) => {
      if (saml === undefined) throw samlIsOff();
      response
        .status(200)
        .type('application/samlmetadata+xml')
        .send(await saml.driver.metadata());
    },
  });

/** Signing in through SAML 2.0. Answers are taken under the path of SAML2_SP_ACS_URL as well, where that is another one. */
export const makeSamlRoutes = (services: SamlRoutesParts): readonly Route[] => {
  const own = services.saml === undefined ? ACS_PATH : new URL(services.saml.acsUrl).pathname;
  return [
    startRoute({
      path: '/api/auth/saml/login',
      summary: 'Start a SAML 2.0 sign-in',
      provider: services.saml && { driver: services.saml.driver, binding: samlBinding(services.saml.acsUrl) },
      isOff: samlIsOff,
    }),
    ...[...new Set([ACS_PATH, own])].map((path) => acsRoute(path, services)),
    metadataRoute(services),
  ];
};
