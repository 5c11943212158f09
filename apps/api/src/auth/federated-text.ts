import { loginAnswer } from '@sheaf/contract';
import { z } from 'zod';

const LOCATION = { Location: 'where to go on' };

/** What the interface's text says alike of the ways to and from any provider. */
export const START_TEXT = {
  description:
    'Open it in a browser. `return_to` is the path of this service to come back to; anything else leads to `/`. While the provider cannot be asked a browser is led to `/?sign_in_error=<code>`; who accepts only JSON gets the error.',
  errors: { FEATURE_DISABLED: 'NOT_FOUND', SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE' },
  query: z.strictObject({ return_to: z.string().optional() }),
  content: { answers: [{ status: 302, description: 'To the provider; or to the first page, with the reason', headers: LOCATION }] },
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
      { status: 200, description: 'Signed in, for who accepts only JSON', schema: loginAnswer },
      { status: 302, description: 'Signed in, with the session cookie; or not, with the reason', headers: LOCATION },
    ],
  },
} as const;
