import type { OidcCheck } from '@sheaf/accounts';
import { serviceProblem } from '@sheaf/contract/operations';
import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import { z } from 'zod';
import { oidcIsOff } from '../auth/oidc-routes.ts';
import { type Route, streamRoute } from '../http/route.ts';

const reportBody = z
  .strictObject({
    status: z.enum(HEALTH_STATUSES),
    issuer: z.string(),
    checks: z.array(
      z.strictObject({ name: z.enum(['discovery', 'keys', 'client']), status: z.enum(HEALTH_STATUSES), ...serviceProblem.shape }),
    ),
  })
  .meta({ id: 'OidcCheck' });

// Choice: where OIDC is not set up there is nothing to be healthy, so this is 404 FEATURE_DISABLED as with any feature that is off.
export const makeOidcCheckRoute = (check: OidcCheck | undefined): Route =>
  streamRoute({
    method: 'get',
    path: '/api/health/auth/oidc',
    access: 'anyone',
    isProbe: true,
    summary: 'Check the OpenID Connect provider',
    description: 'Checks the provider at most every 30 seconds. The client secret is verified only at a sign-in.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: {
      answers: [
        { status: 200, description: 'OIDC is available', schema: reportBody },
        { status: 503, description: 'OIDC is not available', schema: reportBody },
      ],
    },
    stream: async (_input, { response }) => {
      if (check === undefined) throw oidcIsOff();
      const report = reportBody.parse(await check.report());
      response.status(report.status === 'unhealthy' ? 503 : 200).json(report);
    },
  });
