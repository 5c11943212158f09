import { ACTIONS, type Action } from '@sheaf/contract';
import type { Access, Route } from '../http/route.ts';

/** Every kind of credentials, by name. Any one of them will do, so a further kind is one entry here. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of POST /api/auth/login' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sheaf_session',
    description: 'The cookie of a browser session (SESSION_COOKIE_NAME). Changes need the header `X-CSRF-Token` as well',
  },
  key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of POST /api/keys, in the header that API_KEY_HEADER names' },
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
      return 'Open to anyone.';
    case 'anyone-known':
      return 'Open to anyone; who signs in may do more.';
    case 'session':
      return 'For anyone who is signed in, not for API keys.';
    case 'signed-in':
      return 'For anyone who is signed in.';
    default:
      if (allowSelf === true)
        return `For the user himself, signed in; for others and with an API key it needs the permission \`${access}\`.`;
      return `Needs the permission \`${access}\`, or \`${access}.own\` for what belongs to the caller.`;
  }
};
