import { createPrivateKey } from 'node:crypto';
import { isOidcOn } from './federation.ts';
import type { Values } from './parse.ts';
import { parseCertificate, wrongFile } from './pem-file.ts';
import { isWebUrl } from './value-types.ts';

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
