import type { Config } from '@sheaf/config';
import { detailedHealthBody, HEALTH_STATUSES, healthBody } from '@sheaf/contract';
import { countDocuments, everyDocument, latestVersion, readQueueStatus } from '@sheaf/db';
import { VERSION } from '@sheaf/program';
import { z } from 'zod';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { readDetailedHealth, readHealth } from './health.ts';

const versionBody = z.strictObject({
  name: z.string(),
  version: z.string(),
  api_version: z.literal('v1'),
  node: z.string(),
  schema_version: z.int(),
});

const readyBody = z.strictObject({ status: z.enum(HEALTH_STATUSES), message: z.string().optional() }).meta({ id: 'Ready' });

const health = jsonRoute({
  method: 'get',
  path: '/api/health',
  access: 'anyone',
  summary: 'The state of each part, with what to do about what is not well',
  status: 200,
  response: healthBody,
  handle: (_input, deps) => readHealth(deps),
});

const detailed = jsonRoute({
  method: 'get',
  path: '/api/health/detailed',
  access: 'signed-in',
  summary: 'The state of each part in its own words, and what each process says of its parts',
  status: 200,
  response: detailedHealthBody,
  handle: (_input, deps) => readDetailedHealth(deps),
});

const version = jsonRoute({
  method: 'get',
  path: '/api/version',
  access: 'signed-in',
  summary: 'The version of the service, its interface and its database schema',
  status: 200,
  response: versionBody,
  handle: async () => ({
    name: 'Sheaf',
    version: VERSION,
    api_version: 'v1' as const,
    node: process.version,
    schema_version: await latestVersion(),
  }),
});

const status = streamRoute({
  method: 'get',
  path: '/status',
  access: 'anyone',
  summary: 'Queue, database and storage in a few lines for a person; counts only',
  content: { answers: [{ status: 200, description: 'The state', contentTypes: ['text/plain'] }] },
  stream: async (_input, deps, { response }) => {
    const { status: overall, components, messages } = await readHealth(deps);
    const lines = [
      `Sheaf ${VERSION}: ${overall}`,
      '',
      `database      ${components.database}`,
      `ocr engine    ${components.ocr_engine}`,
      `file storage  ${components.file_storage}`,
    ];
    if (components.database === 'healthy') {
      const { db } = deps.database;
      const [queue, documents] = await Promise.all([readQueueStatus(db, everyDocument(), deps.clock.now()), countDocuments(db)]);
      lines.push(
        '',
        `documents     ${documents}`,
        `queue         ${queue.pending} pending, ${queue.processing} processing, ${queue.failed} failed, ${queue.completed_today} completed today`,
      );
    }
    lines.push(...Object.entries(messages).map(([name, message]) => `! ${name}: ${message}`));
    response
      .status(200)
      .type('text/plain')
      .send(`${lines.join('\n')}\n`);
  },
});

/** The probes, under the paths the configuration gives them. */
const probes = ({ server }: Config): Route[] => [
  jsonRoute({
    method: 'get',
    path: server.healthPath,
    access: 'anyone',
    summary: 'Whether this process lives',
    status: 200,
    response: z.strictObject({ status: z.literal('healthy') }),
    handle: async () => ({ status: 'healthy' as const }),
  }),
  streamRoute({
    method: 'get',
    path: server.readyPath,
    access: 'anyone',
    summary: 'Whether this process can do its work: database and schema',
    content: {
      answers: [
        { status: 200, description: 'It can', schema: readyBody },
        { status: 503, description: 'It cannot', schema: readyBody },
      ],
    },
    stream: async (_input, { ready }, { response }) => {
      const state = await ready();
      response.status(state.status === 'unhealthy' ? 503 : 200).json(state);
    },
  }),
  streamRoute({
    method: 'get',
    path: server.metricsPath,
    access: 'anyone',
    summary: 'Metrics in the text exposition format',
    content: { answers: [{ status: 200, description: 'The metrics of this process', contentTypes: ['text/plain'] }] },
    stream: async (_input, { registry }, { response }) => {
      response
        .status(200)
        .type(registry.contentType)
        .send(await registry.metrics());
    },
  }),
];

export const healthRoutes = (config: Config): readonly Route[] => [health, detailed, version, status, ...probes(config)];
