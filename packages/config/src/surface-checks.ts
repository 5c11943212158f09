import { isNetwork } from './network.ts';
import type { Values } from './parse.ts';

type Check = (values: Partial<Values>) => string | undefined;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Browsers send the scheme and the host, and the port where it is not the usual one; anything else would never match. */
const isOrigin = (text: string): boolean => {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return !/^https?:$/.test(protocol) || origin === text.toLowerCase();
};

const checkOrigins: Check = ({ CORS_ALLOWED_ORIGINS: origins }) => {
  if (origins === undefined) return undefined;
  if (origins.includes('*')) return origins.length === 1 ? undefined : 'must be either * or a list of origins, not both';
  const wrong = origins.filter((origin) => !isOrigin(origin));
  return wrong.length === 0
    ? undefined
    : `must be origins as browsers send them, such as https://app.example.org or http://localhost:3000, without path, trailing slash or default port; invalid: ${wrong.join(', ')}`;
};

const checkMethods: Check = ({ CORS_ALLOWED_METHODS: methods }) => {
  const wrong = (methods ?? []).filter((method) => !METHODS.includes(method.toUpperCase()));
  return wrong.length === 0 ? undefined : `can contain ${METHODS.join(', ')}; invalid: ${wrong.join(', ')}`;
};

const checkHeaders: Check = ({ CORS_ALLOWED_HEADERS: headers }) => {
  const wrong = (headers ?? []).filter((header) => !/^[\w!#$%&'*+.^`|~-]+$/.test(header));
  return wrong.length === 0 ? undefined : `must be header names, comma-separated, or *; invalid: ${wrong.join(', ')}`;
};

const checkProxies: Check = ({ TRUSTED_PROXIES: proxies }) => {
  const wrong = (proxies ?? []).filter((text) => !isNetwork(text));
  if (wrong.length > 0) return `must be addresses or networks such as 10.0.0.5 or 172.16.0.0/12; invalid: ${wrong.join(', ')}`;
  const open = (proxies ?? []).filter((text) => text.endsWith('/0'));
  return open.length === 0 ? undefined : `must list the proxies; ${open.join(', ')} would let every client forge its address`;
};

const checkPolicy: Check = ({ SECURITY_CSP: policy }) => {
  if (policy === undefined) return undefined;
  if (!/^[\x20-\x7e]+$/.test(policy) || policy.includes(',')) return 'must be one line of ASCII with directives separated by ;';
  const directives = policy.split(';').map((directive) => directive.trim());
  const wrong = directives.filter((directive) => directive !== '' && !/^[a-z]+(-[a-z]+)*( |$)/i.test(directive));
  return wrong.length === 0
    ? undefined
    : `must be directives such as default-src 'self'; img-src 'self' data:; invalid: ${wrong.join('; ')}`;
};

/** Checks of the variables that the surface of the api is made from. */
export const SURFACE_CHECKS: Readonly<Record<string, Check>> = {
  CORS_ALLOWED_ORIGINS: checkOrigins,
  CORS_ALLOWED_METHODS: checkMethods,
  CORS_ALLOWED_HEADERS: checkHeaders,
  TRUSTED_PROXIES: checkProxies,
  SECURITY_CSP: checkPolicy,
};
