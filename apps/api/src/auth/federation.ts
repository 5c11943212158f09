import { OidcCheck, OidcDriver, type OidcDriverDeps, SamlDriver } from '@sheaf/accounts';
import type { FixedConfig } from '@sheaf/config';
import { makeOidcCheckRoute } from '../health/oidc-check.ts';
import type { Route } from '../http/route.ts';
import type { AuthServices } from './auth-services.ts';
import type { FederatedSignInService } from './federated-sign-in.ts';
import { makeOidcRoutes } from './oidc-routes.ts';
import { makeSamlRoutes } from './saml-routes.ts';
import { sessionCookies } from './session-cookie.ts';

/** The identity providers that are set up, and who is told of those they name. */
export interface Federation {
  readonly oidc: OidcDriver | undefined;
  readonly oidcCheck: OidcCheck | undefined;
  readonly saml: SamlDriver | undefined;
  readonly signInService: FederatedSignInService;
}

/** The one sign-in service, as the routes of identity providers see it. */
const signInServiceOf = ({ identity, config }: Pick<AuthServices, 'identity' | 'config'>): FederatedSignInService => ({
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
