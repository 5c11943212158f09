import { ACTIONS, type Action } from '@sheaf/vocabulary/permissions';
import type { Access, Route } from '../http/route.ts';

/** Every kind of credentials, by name. Any one of them will do, so a further kind is one entry here. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Bearer token of POST /api/auth/login' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sheaf_session',
    description: 'Cookie of a browser session (SESSION_COOKIE_NAME). Changes also require the header `X-CSRF-Token`',
  },
  key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key of POST /api/keys, in the header API_KEY_HEADER' },
} as const;

export const isAction = (access: Access): access is Action => ACTIONS.some((action) => action === access);

type Requirement = Record<string, string[]>;

/** What OpenAPI calls the security requirement of a route; `{}` is a stranger. */
export const securityOf = (access: Access): Requirement[] => {
  const known = Object.keys(SECURITY_SCHEMES)
    .filter((name) => access !== 'session' || name !== 'key')
    .map((name): Requirement => ({ [name]: [] }));
  if (access === 'anyone') return [];
  return access === 'anyone-known' ? [{}, ...known] : known;
};

/** Who may call, in a sentence. */
export const accessText = ({ access, allowSelf }: Pick<Route, 'access' | 'allowSelf'>): string => {
  switch (access) {
    case 'anyone':
      return 'No authentication required.';
    case 'anyone-known':
      return 'No authentication required; authenticated users have more options.';
    case 'session':
      return 'Requires a signed-in user; not available to API keys.';
    case 'signed-in':
      return 'Requires authentication.';
    default:
      if (allowSelf === true)
        return `Available to the user for the own account when signed in; for other users and with an API key requires the permission \`${access}\`.`;
      return `Requires the permission \`${access}\`, or \`${access}.own\` for own resources.`;
  }
};
