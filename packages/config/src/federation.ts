import { resolve } from 'node:path';
import type { Secret } from '@sheaf/contract';
import type { Values } from './parse.ts';
import { isWebUrl } from './value-types.ts';

export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without a secret. */
  readonly clientSecret: Secret | undefined;
  readonly redirectUri: string;
  readonly scopes: string;
  readonly userClaim: string | undefined;
  readonly groupsClaim: string;
  readonly audience: string | undefined;
  readonly hostedDomain: string | undefined;
  readonly tokenEndpointAuthMethod: Values['OIDC_TOKEN_ENDPOINT_AUTH_METHOD'];
  readonly endpoints: {
    readonly authorization: string | undefined;
    readonly token: string | undefined;
    readonly userInfo: string | undefined;
  };
  readonly debug: boolean;
  readonly adminGroup: string | undefined;
  readonly groupRoles: Readonly<Record<string, string>>;
  readonly autoCreateUsers: boolean;
}

export interface SamlConfig {
  /** A URL, or the absolute path of a file. */
  readonly metadata: string;
  readonly entityId: string;
  readonly acsUrl: string;
  readonly certificateFile: string | undefined;
  readonly privateKeyFile: string | undefined;
  readonly attributes: NonNullable<Values['SAML2_ATTRIBUTE_MAPPING']>;
  readonly adminGroup: string | undefined;
}

const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** Whether OIDC is on: by its own switch, or as the way to sign in. */
export const isOidcOn = ({ OIDC_ENABLED, AUTH_METHOD }: Partial<Values>): boolean => OIDC_ENABLED === true || AUTH_METHOD === 'oidc';

/** Undefined while OIDC is off. The checks across variables have seen to it that the required ones are there. */
export const oidcConfig = (v: Values): OidcConfig | undefined => {
  if (!isOidcOn(v) || v.OIDC_ISSUER_URL === undefined || v.OIDC_CLIENT_ID === undefined || v.OIDC_REDIRECT_URI === undefined)
    return undefined;
  return {
    // people copy the address of the document as often as the issuer's
    issuer: v.OIDC_ISSUER_URL.endsWith(DISCOVERY_PATH) ? v.OIDC_ISSUER_URL.slice(0, -DISCOVERY_PATH.length) : v.OIDC_ISSUER_URL,
    clientId: v.OIDC_CLIENT_ID,
    clientSecret: v.OIDC_CLIENT_SECRET,
    redirectUri: v.OIDC_REDIRECT_URI,
    scopes: v.OIDC_SCOPES,
    userClaim: v.OIDC_USER_CLAIM,
    groupsClaim: v.OIDC_GROUPS_CLAIM,
    audience: v.OIDC_AUDIENCE,
    hostedDomain: v.OIDC_HOSTED_DOMAIN?.toLowerCase(),
    tokenEndpointAuthMethod: v.OIDC_TOKEN_ENDPOINT_AUTH_METHOD,
    endpoints: { authorization: v.OIDC_AUTH_ENDPOINT, token: v.OIDC_TOKEN_ENDPOINT, userInfo: v.OIDC_USER_INFO_ENDPOINT },
    debug: v.OIDC_DEBUG,
    adminGroup: v.OIDC_ADMIN_GROUP,
    groupRoles: v.OIDC_GROUP_ROLE_MAPPING ?? {},
    autoCreateUsers: v.OIDC_AUTO_CREATE_USERS,
  };
};

/** Undefined while SAML 2.0 is off. */
export const samlConfig = (v: Values): SamlConfig | undefined => {
  if (v.SAML2_IDP_METADATA_URL === undefined || v.SAML2_SP_ENTITY_ID === undefined || v.SAML2_SP_ACS_URL === undefined) return undefined;
  return {
    metadata: isWebUrl(v.SAML2_IDP_METADATA_URL) ? v.SAML2_IDP_METADATA_URL : resolve(v.SAML2_IDP_METADATA_URL),
    entityId: v.SAML2_SP_ENTITY_ID,
    acsUrl: v.SAML2_SP_ACS_URL,
    certificateFile: v.SAML2_SP_X509_CERT === undefined ? undefined : resolve(v.SAML2_SP_X509_CERT),
    privateKeyFile: v.SAML2_SP_PRIVATE_KEY === undefined ? undefined : resolve(v.SAML2_SP_PRIVATE_KEY),
    attributes: v.SAML2_ATTRIBUTE_MAPPING ?? {},
    adminGroup: v.SAML2_ADMIN_GROUP,
  };
};
