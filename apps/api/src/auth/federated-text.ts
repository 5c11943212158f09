import { loginAnswer } from '@sheaf/contract/identity';
import { z } from 'zod';

const LOCATION = { Location: 'destination after the sign-in' };

/** What the interface's text says alike of the ways to and from any provider. */
export const START_TEXT = {
  description:
    'Open this URL in a browser. `return_to` is a path of this service; other values redirect to `/`. If the provider is not available, browsers are redirected to `/?sign_in_error=<code>`; clients that accept only JSON get the error.',
  errors: { FEATURE_DISABLED: 'NOT_FOUND', SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE' },
  query: z.strictObject({ return_to: z.string().optional() }),
  content: { answers: [{ status: 302, description: 'Redirect to the provider, or to the start page with the error', headers: LOCATION }] },
} as const;

export const RETURN_TEXT = {
  errors: {
    FEATURE_DISABLED: 'NOT_FOUND',
    SIGN_IN_EXPIRED: 'UNAUTHORIZED',
    SIGN_IN_INVALID: 'UNAUTHORIZED',
    SIGN_IN_REFUSED: 'FORBIDDEN',
    SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  },
  content: {
    answers: [
      { status: 200, description: 'Signed in (clients that accept only JSON)', schema: loginAnswer },
      { status: 302, description: 'Redirect with the session cookie, or with the error', headers: LOCATION },
    ],
  },
} as const;
