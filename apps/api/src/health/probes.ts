import type { Config } from '@sheaf/config';
import { featureDisabled, forbidden, HEALTH_STATUSES } from '@sheaf/contract';
import { z } from 'zod';
import { clientAddress } from '../http/client-address.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { readinessOf } from './health.ts';
import { makeMetricsGate } from './metrics-gate.ts';

const readyBody = z.strictObject({ status: z.enum(HEALTH_STATUSES), message: z.string().optional() }).meta({ id: 'Ready' });

const STOPPING = { status: 'unhealthy', message: 'the service is stopping' } as const;

const liveness = (path: string): Route =>
  jsonRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Liveness probe',
    status: 200,
    response: z.strictObject({ status: z.literal('healthy') }),
    handle: async () => ({ status: 'healthy' as const }),
  });

const readiness = (path: string): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Readiness probe',
    description: 'Warnings and crashing processes do not affect readiness. Cached for one second.',
    content: {
      answers: [
        { status: 200, description: 'Ready', schema: readyBody },
        { status: 503, description: 'Not ready: a required component is unhealthy', schema: readyBody },
      ],
    },
    stream: async (_input, { lookAround, isStopping }, { response }) => {
      const state = isStopping() ? STOPPING : readinessOf(await lookAround());
      response.status(state.status === 'unhealthy' ? 503 : 200).json(state);
    },
  });

const metrics = (path: string, { metricsEnabled, metricsNetworks }: Config['telemetry']): Route => {
  const isAllowed = makeMetricsGate(metricsNetworks);
  return streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    summary: 'Prometheus metrics, restricted to METRICS_ALLOWED_NETWORKS',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [{ status: 200, description: 'Metrics of this process', contentTypes: ['text/plain'] }] },
    stream: async (_input, { registry }, { request, response }) => {
      if (!isAllowed(clientAddress(request)))
        throw forbidden('Metrics are not allowed for this client address.', { reason: 'network_not_allowed' });
      if (!metricsEnabled) throw featureDisabled('METRICS_ENABLED');
      response
        .status(200)
        .type(registry.contentType)
        .send(await registry.metrics());
    },
  });
};

/** What monitoring asks, under the paths the configuration gives them. */
export const probeRoutes = ({ server, telemetry }: Config): Route[] => [
  liveness(server.healthPath),
  readiness(server.readyPath),
  metrics(server.metricsPath, telemetry),
];
