import { authTestBody, authTestRequest } from '@sheaf/contract/identity';
import { jsonRoute, type Route } from '../http/route.ts';
import type { AuthServices } from './answer-sign-in.ts';
import { clientOf } from './client.ts';

const test = ({ identity, clock }: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/test',
    // Choice: who may change the settings of a sign-in method may try it.
    access: 'settings.update',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Test a user name and password with a sign-in method',
    description: 'No session is created. Wrong passwords count as failed sign-ins.',
    errors: { ACCOUNT_LOCKED: 'RATE_LIMITED' },
    body: authTestRequest,
    response: authTestBody,
    handle: async ({ body, principal, context }) => {
      const startedAt = clock.now().getTime();
      const { method, username, password } = body;
      const report = await identity.signInCheck.run(method, username, password, principal, clientOf(context));
      const { user, ...result } = report;
      return {
        ...result,
        method,
        ...(user === undefined ? {} : { user: { ...user, groups: [...user.groups] } }),
        duration_ms: clock.now().getTime() - startedAt,
      };
    },
  });

export const authTestRoutes = (services: AuthServices): readonly Route[] => [test(services)];
