import { isOidcOn, isWebUrl } from './federation.ts';
import type { Values } from './parse.ts';

type Check = (values: Partial<Values>) => string | undefined;
type Name = keyof Values;

const isIn = (values: Partial<Values>, name: Name): boolean => values[name] !== undefined;

const REQUIRED_BY_OIDC = 'is required when OIDC_ENABLED=true or AUTH_METHOD=oidc';
const REQUIRED_BY_METHOD = 'is required when AUTH_METHOD=saml2';
const REQUIRED_BY_SAML = 'is required with SAML2_IDP_METADATA_URL';

/** What is wrong with a URL that the service calls or is called by. */
const wrongUrl = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const url = isWebUrl(text) && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && url.hash === '';
  return isPlain ? undefined : 'must be a URL that starts with https:// (or http:// in an isolated network), without a fragment';
};

const checkIssuer: Check = (values) => {
  if (isOidcOn(values) && !isIn(values, 'OIDC_ISSUER_URL')) return REQUIRED_BY_OIDC;
  return wrongUrl(values.OIDC_ISSUER_URL);
};

const checkSecret: Check = (values) =>
  isOidcOn(values) && !isIn(values, 'OIDC_CLIENT_SECRET') && values.OIDC_TOKEN_ENDPOINT_AUTH_METHOD !== 'none'
    ? `${REQUIRED_BY_OIDC}; for a public client, set OIDC_TOKEN_ENDPOINT_AUTH_METHOD=none`
    : undefined;

/** The path is served, so it has to be one that cannot hide another part of the service. */
const wrongOwnUrl = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const wrong = wrongUrl(text);
  if (wrong !== undefined) return wrong;
  const { pathname, search } = new URL(text);
  return search === '' && /^(\/[\w.-]+)+$/.test(pathname)
    ? undefined
    : 'must have a path such as /api/auth/oidc/callback and no query string';
};

const checkRedirect: Check = (values) => {
  if (isOidcOn(values) && !isIn(values, 'OIDC_REDIRECT_URI')) return REQUIRED_BY_OIDC;
  return wrongOwnUrl(values.OIDC_REDIRECT_URI);
};

const checkScopes: Check = ({ OIDC_SCOPES: scopes }) =>
  scopes === undefined || scopes.split(/\s+/).includes('openid') ? undefined : 'must contain openid';

const checkAcs: Check = (values) => {
  if (isIn(values, 'SAML2_IDP_METADATA_URL') && !isIn(values, 'SAML2_SP_ACS_URL')) return REQUIRED_BY_SAML;
  return wrongOwnUrl(values.SAML2_SP_ACS_URL);
};

const checkPair =
  (other: 'SAML2_SP_X509_CERT' | 'SAML2_SP_PRIVATE_KEY'): Check =>
  (values) => {
    const own = other === 'SAML2_SP_X509_CERT' ? 'SAML2_SP_PRIVATE_KEY' : 'SAML2_SP_X509_CERT';
    return isIn(values, other) && !isIn(values, own) ? `is required with ${other}` : undefined;
  };

/** Checks across the variables of OIDC and SAML 2.0. */
export const FEDERATION_CHECKS: Readonly<Record<string, Check>> = {
  OIDC_ISSUER_URL: checkIssuer,
  OIDC_CLIENT_ID: (values) => (isOidcOn(values) && !isIn(values, 'OIDC_CLIENT_ID') ? REQUIRED_BY_OIDC : undefined),
  OIDC_CLIENT_SECRET: checkSecret,
  OIDC_REDIRECT_URI: checkRedirect,
  OIDC_SCOPES: checkScopes,
  OIDC_AUTH_ENDPOINT: ({ OIDC_AUTH_ENDPOINT }) => wrongUrl(OIDC_AUTH_ENDPOINT),
  OIDC_TOKEN_ENDPOINT: ({ OIDC_TOKEN_ENDPOINT }) => wrongUrl(OIDC_TOKEN_ENDPOINT),
  OIDC_USER_INFO_ENDPOINT: ({ OIDC_USER_INFO_ENDPOINT }) => wrongUrl(OIDC_USER_INFO_ENDPOINT),
  SAML2_IDP_METADATA_URL: (values) =>
    values.AUTH_METHOD === 'saml2' && !isIn(values, 'SAML2_IDP_METADATA_URL') ? REQUIRED_BY_METHOD : undefined,
  SAML2_SP_ENTITY_ID: (values) =>
    isIn(values, 'SAML2_IDP_METADATA_URL') && !isIn(values, 'SAML2_SP_ENTITY_ID') ? REQUIRED_BY_SAML : undefined,
  SAML2_SP_ACS_URL: checkAcs,
  SAML2_SP_X509_CERT: checkPair('SAML2_SP_PRIVATE_KEY'),
  SAML2_SP_PRIVATE_KEY: checkPair('SAML2_SP_X509_CERT'),
};
