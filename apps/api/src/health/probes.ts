import { BlockList, isIP } from 'node:net';
import { featureDisabled, reasonedError } from '@sheaf/contract';
import { componentHealth, unhealthy } from '@sheaf/contract/operations';
import { z } from 'zod';
import { clientAddress } from '../http/client-address.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { readinessOf } from './health.ts';
import type { HealthServices } from './health-services.ts';

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether an address may ask for metrics: those of `networks` may (CIDR or single addresses), and every one where none are named. */
const makeMetricsGate = (networks: readonly string[]): ((address: string | undefined) => boolean) => {
  if (networks.length === 0) return () => true;
  const allowed = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) allowed.addAddress(address, family(address));
    else allowed.addSubnet(address, Number(bits), family(address));
  }
  return (address) => address !== undefined && isIP(address) !== 0 && allowed.check(address, family(address));
};

type ProbeServices = Pick<HealthServices, 'config' | 'takeHealthSnapshot' | 'isStopping' | 'registry'>;

const ALIVE = { status: 'healthy' } as const;
const STOPPING = unhealthy('service_stopping');

const liveness = (path: string): Route =>
  jsonRoute({
    method: 'get',
    path,
    access: 'anyone',
    isProbe: true,
    summary: 'Liveness probe',
    status: 200,
    response: z.strictObject({ status: z.literal('healthy') }),
    constantAnswer: ALIVE,
    handle: async () => ALIVE,
  });

const readiness = (path: string, { takeHealthSnapshot, isStopping }: ProbeServices): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    isProbe: true,
    summary: 'Readiness probe',
    description: 'Warnings and crashing processes do not affect readiness. Cached for one second.',
    content: {
      answers: [
        { status: 200, description: 'Ready', schema: componentHealth },
        { status: 503, description: 'Not ready: a required component is unhealthy', schema: componentHealth },
      ],
    },
    stream: async (_input, { response }) => {
      const state = isStopping() ? STOPPING : readinessOf(await takeHealthSnapshot());
      response.status(state.status === 'unhealthy' ? 503 : 200).json(state);
    },
  });

const metrics = (path: string, { config: { telemetry }, registry }: ProbeServices): Route => {
  const isAllowed = makeMetricsGate(telemetry.metricsNetworks);
  return streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    isProbe: true,
    summary: 'Prometheus metrics, restricted to METRICS_ALLOWED_NETWORKS',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [{ status: 200, description: 'Metrics of this process', contentTypes: ['text/plain'] }] },
    stream: async (_input, { request, response }) => {
      if (!isAllowed(clientAddress(request))) throw reasonedError('FORBIDDEN', 'network_not_allowed');
      if (!telemetry.metricsEnabled) throw featureDisabled('METRICS_ENABLED');
      response
        .status(200)
        .type(registry.contentType)
        .send(await registry.metrics());
    },
  });
};

/** What monitoring asks, under the paths the configuration gives them. */
export const probeRoutes = (services: ProbeServices): Route[] => {
  const { server } = services.config;
  return [liveness(server.healthPath), readiness(server.readyPath, services), metrics(server.metricsPath, services)];
};
