import type { Config } from '@sheaf/config';
import { featureDisabled, HEALTH_STATUSES } from '@sheaf/contract';
import { z } from 'zod';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { readinessOf } from './health.ts';

const readyBody = z.strictObject({ status: z.enum(HEALTH_STATUSES), message: z.string().optional() }).meta({ id: 'Ready' });

const STOPPING = { status: 'unhealthy', message: 'the service is stopping' } as const;

const liveness = (path: string): Route =>
  jsonRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Whether this process lives',
    status: 200,
    response: z.strictObject({ status: z.literal('healthy') }),
    handle: async () => ({ status: 'healthy' as const }),
  });

const readiness = (path: string): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Whether the service can do its work',
    description: 'Neither a warning nor a process that crashes is an obstacle. Read once a second, however many ask.',
    content: {
      answers: [
        { status: 200, description: 'It can', schema: readyBody },
        { status: 503, description: 'It cannot: a part of it does not work at all', schema: readyBody },
      ],
    },
    stream: async (_input, { lookAround, isStopping }, { response }) => {
      const state = isStopping() ? STOPPING : readinessOf(await lookAround());
      response.status(state.status === 'unhealthy' ? 503 : 200).json(state);
    },
  });

const metrics = (path: string, isEnabled: boolean): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Metrics in the text exposition format',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [{ status: 200, description: 'The metrics of this process', contentTypes: ['text/plain'] }] },
    stream: async (_input, { registry }, { response }) => {
      if (!isEnabled) throw featureDisabled('METRICS_ENABLED');
      response
        .status(200)
        .type(registry.contentType)
        .send(await registry.metrics());
    },
  });

/** What monitoring asks, under the paths the configuration gives them. */
export const probeRoutes = ({ server, telemetry }: Config): Route[] => [
  liveness(server.healthPath),
  readiness(server.readyPath),
  metrics(server.metricsPath, telemetry.metricsEnabled),
];
