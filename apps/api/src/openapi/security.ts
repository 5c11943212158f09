import { ACTIONS, type Action } from '@sheaf/contract';
import type { Access } from '../http/route.ts';

/** Every kind of credentials, by name. Any one of them will do, so a further kind is one entry here. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of POST /api/auth/login' },
} as const;

export const isAction = (access: Access): access is Action => ACTIONS.some((action) => action === access);

type Requirement = Record<string, string[]>;

/** What OpenAPI calls the security requirement of a route; `{}` is a stranger. */
export const securityOf = (access: Access): Requirement[] => {
  const known = Object.keys(SECURITY_SCHEMES).map((name): Requirement => ({ [name]: [] }));
  if (access === 'anyone') return [];
  return access === 'anyone-known' ? [{}, ...known] : known;
};

/** Who may call, in a sentence. */
export const accessText = (access: Access): string => {
  switch (access) {
    case 'anyone':
      return 'Open to anyone.';
    case 'anyone-known':
      return 'Open to anyone; who signs in may do more.';
    case 'signed-in':
      return 'For anyone who is signed in.';
    default:
      return `Needs the permission \`${access}\`, or \`${access}.own\` for what belongs to the caller.`;
  }
};
