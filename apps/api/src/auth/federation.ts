import type { Config } from '@sheaf/config';
import { OidcCheck, OidcDriver, type OidcDriverDeps, SamlDriver } from '@sheaf/identity';
import type { ApiDeps } from '../deps.ts';
import { makeOidcCheckRoute } from '../health/oidc-check.ts';
import type { Route } from '../http/route.ts';
import type { SignInDoor } from './federated-sign-in.ts';
import { makeOidcRoutes } from './oidc-routes.ts';
import { makeSamlRoutes } from './saml-routes.ts';
import { sessionCookies } from './session-cookie.ts';

/** The identity providers that are set up, and who is told of those they name. */
export interface Federation {
  readonly oidc: OidcDriver | undefined;
  readonly oidcCheck: OidcCheck | undefined;
  readonly saml: SamlDriver | undefined;
  readonly door: SignInDoor;
}

/** The one sign-in service, as the routes of identity providers see it. */
const doorOf = ({ identity, config }: Pick<ApiDeps, 'identity' | 'config'>): SignInDoor => ({
  signIn: async (who, client, wishes) => {
    const { answer, cookie } = await identity.signIn.withExternal(who, client, wishes);
    if ('mfa_required' in answer) return { kind: 'mfa', mfaToken: answer.mfa_token, methods: answer.methods };
    return { kind: 'session', login: answer, cookie };
  },
  setSessionCookie: (response, cookie) => {
    for (const line of sessionCookies(cookie, config.sessions.cookie, response.req.secure)) response.append('Set-Cookie', line);
  },
});

export const openFederation = (
  { oidc, saml }: Pick<Config, 'oidc' | 'saml'>,
  parts: Omit<OidcDriverDeps, 'settings'>,
  deps: Pick<ApiDeps, 'identity' | 'config'>,
): Federation => {
  const driver = oidc && new OidcDriver({ ...parts, settings: oidc });
  return {
    oidc: driver,
    oidcCheck: oidc && driver && new OidcCheck(oidc, driver.provider, parts.clock),
    saml: saml && new SamlDriver({ ...parts, settings: saml }),
    door: doorOf(deps),
  };
};

const NO_DOOR: SignInDoor = {
  signIn: () => Promise.reject(new Error('no identity provider is configured')),
  setSessionCookie: () => {},
};

/** The routes of identity providers. Without `federation` they tell what there is, for the text of the interface. */
export const federationRoutes = ({ oidc, saml }: Pick<Config, 'oidc' | 'saml'>, federation: Federation | undefined): readonly Route[] => {
  const { door = NO_DOOR } = federation ?? {};
  return [
    ...makeOidcRoutes({ oidc: oidc && federation?.oidc && { driver: federation.oidc, redirectUri: oidc.redirectUri }, door }),
    ...makeSamlRoutes({ saml: saml && federation?.saml && { driver: federation.saml, acsUrl: saml.acsUrl }, door }),
    makeOidcCheckRoute(federation?.oidcCheck),
  ];
};
