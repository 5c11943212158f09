import { join } from 'node:path';
import type { Config } from '@sheaf/config';
import { detailedHealthBody, healthBody } from '@sheaf/contract';
import { latestVersion } from '@sheaf/db';
import { VERSION } from '@sheaf/program';
import { findCommit } from '@sheaf/runtime';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import type { ApiVersion } from '../http/versions.ts';
import { toDetailedHealthBody, toHealthBody } from './health.ts';
import { probeRoutes } from './probes.ts';
import { status } from './status-route.ts';

const COMMIT = findCommit(join(import.meta.dirname, '../../../..'));

const health = jsonRoute({
  method: 'get',
  path: '/api/health',
  access: 'anyone',
  summary: 'Get the health of the components',
  status: 200,
  response: healthBody,
  handle: async (_input, { lookAround }) => toHealthBody(await lookAround()),
});

const detailed = jsonRoute({
  method: 'get',
  path: '/api/health/detailed',
  access: 'system.read',
  summary: 'Get the health of components and processes with details',
  status: 200,
  response: detailedHealthBody,
  handle: async (_input, { lookAround, config }) => toDetailedHealthBody(await lookAround(), config.signIn.appSecretKey),
});

const versionOf = (apiVersion: ApiVersion): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/version',
    access: 'signed-in',
    summary: 'Get the version of the service, API and database schema',
    status: 200,
    response: z.strictObject({
      name: z.string(),
      version: z.string(),
      api_version: z.literal(apiVersion).describe('API version of this endpoint'),
      commit: z.string().optional().describe('Commit of the build, if known'),
      node: z.string(),
      schema_version: z.int(),
    }),
    handle: async () => ({
      name: 'Sheaf',
      version: VERSION,
      api_version: apiVersion,
      ...(COMMIT === undefined ? {} : { commit: COMMIT }),
      node: process.version,
      schema_version: await latestVersion(),
    }),
  });

const version: Route = { ...versionOf('v1'), v2: versionOf('v2') };

export const healthRoutes = (config: Config): readonly Route[] => [health, detailed, version, status, ...probeRoutes(config)];
