import type { FederatedStart } from '@sheaf/accounts';
import type { AppError } from '@sheaf/contract';
import { loginAnswer } from '@sheaf/contract/identity';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { type BindingCookie, sendAway } from './federated-sign-in.ts';

const LOCATION = { Location: 'destination after the sign-in' };

/** What the interface's text says alike of the ways to and from any provider. */
const START_TEXT = {
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

interface StartRouteParts {
  readonly path: string;
  readonly summary: string;
  /** Undefined where none is set up. */
  readonly provider:
    | {
        readonly driver: { start(returnTo: string | undefined): Promise<FederatedStart> };
        readonly binding: BindingCookie;
      }
    | undefined;
  readonly isOff: () => AppError;
}

/** GET of the way to an identity provider. */
export const startRoute = ({ path, summary, provider, isOff }: StartRouteParts): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    carriesCredentials: true,
    summary,
    ...START_TEXT,
    stream: async ({ query }, http) => {
      if (provider === undefined) throw isOff();
      await sendAway(() => provider.driver.start(query.return_to), provider.binding, http);
    },
  });
