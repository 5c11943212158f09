import { MAX_RESPONSE_BYTES, OidcCheck, OidcDriver, type OidcDriverDeps, SamlDriver } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError, validationError } from '@sheaf/contract';
import type { Request, Response } from 'express';
import express from 'express';
import { z } from 'zod';
import { makeOidcCheckRoute } from '../health/oidc-check.ts';
import { parseInput } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import type { AuthServices } from './answer-sign-in.ts';
import { type BindingCookie, type FederatedSignInService, takeBack } from './federated-sign-in.ts';
import { makeOidcRoutes, RETURN_TEXT, startRoute } from './oidc-routes.ts';
import { sessionCookies } from './session-cookie.ts';

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

const bindingOf = (acsUrl: string): BindingCookie => ({ name: 'sheaf_saml', returnUrl: acsUrl, isPosted: true });

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
      const binding = bindingOf(saml.acsUrl);
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
      provider: services.saml && { driver: services.saml.driver, binding: bindingOf(services.saml.acsUrl) },
      isOff: samlIsOff,
    }),
    ...[...new Set([ACS_PATH, own])].map((path) => acsRoute(path, services)),
    metadataRoute(services),
  ];
};
