import { join } from 'node:path';
import { detailedHealthBody, healthBody, storageBody } from '@sheaf/contract/operations';
import { latestVersion } from '@sheaf/db/migrations';
import { findCommit } from '@sheaf/process';
import { VERSION } from '@sheaf/program';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import type { ApiVersion } from '../http/versions.ts';
import { toDetailedHealthBody, toHealthBody } from './health.ts';
import type { HealthServices } from './health-services.ts';
import { probeRoutes } from './probes.ts';
import { status } from './status-route.ts';
import { readStorageReport } from './storage-report.ts';

const COMMIT = findCommit(join(import.meta.dirname, '../../../..'));

const health = ({ takeHealthSnapshot }: HealthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/health',
    access: 'anyone',
    isProbe: true,
    summary: 'Get the health of the components',
    status: 200,
    response: healthBody,
    handle: async (_input) => toHealthBody(await takeHealthSnapshot()),
  });

const detailed = ({ takeHealthSnapshot, config }: HealthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/health/detailed',
    access: 'system.read',
    isProbe: true,
    summary: 'Get the health of components and processes with details',
    status: 200,
    response: detailedHealthBody,
    handle: async (_input) => toDetailedHealthBody(await takeHealthSnapshot(), config.signIn.appSecretKey),
  });

const storage = ({ config, database, cache, diskWarningShare }: HealthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/health/storage',
    access: 'system.read',
    summary: 'Get where documents are stored, their size and the free space of the disks',
    status: 200,
    response: storageBody,
    handle: async (_input) => await readStorageReport({ config, db: database.db, cache, warningShare: diskWarningShare.current() }),
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

export const healthRoutes = (services: HealthServices): readonly Route[] => [
  health(services),
  detailed(services),
  storage(services),
  version,
  status(services),
  ...probeRoutes(services),
];
