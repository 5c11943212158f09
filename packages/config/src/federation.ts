import { createPrivateKey } from 'node:crypto';
import { resolve } from 'node:path';
import type { Secret } from '@sheaf/contract';
import type { Values } from './parse.ts';
import { parseCertificate, wrongFile } from './regular-file.ts';
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

type Check = (values: Partial<Values>) => string | undefined;
type Name = keyof Values;

const isIn = (values: Partial<Values>, name: Name): boolean => values[name] !== undefined;

const REQUIRED_BY_OIDC = 'is required when OIDC_ENABLED=true or AUTH_METHOD=oidc';
const REQUIRED_BY_METHOD = 'is required when AUTH_METHOD=saml2';
const REQUIRED_BY_SAML = 'is required with SAML2_IDP_METADATA_URL';

const checkIssuer: Check = (values) => (isOidcOn(values) && !isIn(values, 'OIDC_ISSUER_URL') ? REQUIRED_BY_OIDC : undefined);

const checkSecret: Check = (values) =>
  isOidcOn(values) && !isIn(values, 'OIDC_CLIENT_SECRET') && values.OIDC_TOKEN_ENDPOINT_AUTH_METHOD !== 'none'
    ? `${REQUIRED_BY_OIDC}; for a public client, set OIDC_TOKEN_ENDPOINT_AUTH_METHOD=none`
    : undefined;

/** The path is served, so it has to be one that cannot hide another part of the service. */
const wrongOwnUrl = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  return /^(\/[\w.-]+)+$/.test(new URL(text).pathname) ? undefined : 'must have a path such as /api/auth/oidc/callback';
};

const checkRedirect: Check = (values) => {
  if (isOidcOn(values) && !isIn(values, 'OIDC_REDIRECT_URI')) return REQUIRED_BY_OIDC;
  return wrongOwnUrl(values.OIDC_REDIRECT_URI);
};

const checkScopes: Check = (values) =>
  !isOidcOn(values) || values.OIDC_SCOPES?.split(/\s+/).includes('openid') !== false ? undefined : 'must contain openid';

const checkAcs: Check = (values) => {
  if (isIn(values, 'SAML2_IDP_METADATA_URL') && !isIn(values, 'SAML2_SP_ACS_URL')) return REQUIRED_BY_SAML;
  return wrongOwnUrl(values.SAML2_SP_ACS_URL);
};

/** An address, or the path of a file that is there. */
const checkMetadata: Check = ({ AUTH_METHOD, SAML2_IDP_METADATA_URL: metadata }) => {
  if (metadata === undefined) return AUTH_METHOD === 'saml2' ? REQUIRED_BY_METHOD : undefined;
  if (metadata.includes('://'))
    return isWebUrl(metadata) ? undefined : 'must be a URL such as https://id.example.org/metadata, or a file path';
  const wrong = wrongFile(metadata, () => {});
  return wrong === undefined ? undefined : `must be a URL such as https://id.example.org/metadata, or a file: it ${wrong}`;
};

/** Both or none: the key signs what the certificate proves. */
const checkPair =
  (own: 'SAML2_SP_X509_CERT' | 'SAML2_SP_PRIVATE_KEY', parse: (pem: Buffer) => unknown): Check =>
  (values) => {
    const other = own === 'SAML2_SP_X509_CERT' ? 'SAML2_SP_PRIVATE_KEY' : 'SAML2_SP_X509_CERT';
    if (!isIn(values, 'SAML2_IDP_METADATA_URL')) return undefined;
    if (!isIn(values, own)) return isIn(values, other) ? `is required with ${other}` : undefined;
    return wrongFile(values[own], parse);
  };

/** Checks across the variables of OIDC and SAML 2.0. */
export const FEDERATION_CHECKS: Readonly<Record<string, Check>> = {
  OIDC_ISSUER_URL: checkIssuer,
  OIDC_CLIENT_ID: (values) => (isOidcOn(values) && !isIn(values, 'OIDC_CLIENT_ID') ? REQUIRED_BY_OIDC : undefined),
  OIDC_CLIENT_SECRET: checkSecret,
  OIDC_REDIRECT_URI: checkRedirect,
  OIDC_SCOPES: checkScopes,
  SAML2_IDP_METADATA_URL: checkMetadata,
  SAML2_SP_ENTITY_ID: (values) =>
    isIn(values, 'SAML2_IDP_METADATA_URL') && !isIn(values, 'SAML2_SP_ENTITY_ID') ? REQUIRED_BY_SAML : undefined,
  SAML2_SP_ACS_URL: checkAcs,
  SAML2_SP_X509_CERT: checkPair('SAML2_SP_X509_CERT', parseCertificate),
  SAML2_SP_PRIVATE_KEY: checkPair('SAML2_SP_PRIVATE_KEY', createPrivateKey),
};
