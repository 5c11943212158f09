import { join } from 'node:path';
import { type FixedConfig, storagePlaces } from '@sheaf/config';
import { detailedHealthBody, healthBody, type StorageBody, storageBody } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { latestVersion } from '@sheaf/db/migrations';
import { readStoredSize } from '@sheaf/documents';
import { findCommit, type MemoryCache } from '@sheaf/process';
import { type DiskUse, nearestFolder, readDisks, type Share } from '@sheaf/process/machine';
import { VERSION } from '@sheaf/program';
import { z } from 'zod';
import type { ApiVersion } from '../http/offered-routes.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toDetailedHealthBody, toHealthBody } from './health.ts';
import { type HealthServices, probeRoutes, status } from './probes.ts';

type DiskBody = StorageBody['disks'][number];
type DiskPurpose = DiskBody['uses'][number];

interface StorageSources {
  readonly config: Pick<FixedConfig, 'storage' | 'dataPath'>;
  readonly db: Db;
  readonly cache: MemoryCache;
  /** Above which a disk is too full. */
  readonly warningShare: Share;
}

/** Adding up all documents takes a moment where there are a million. */
const TOTALS = { name: 'storage', sizeOf: () => 100, ttlMs: 30_000 } as const;

const toPercent = (share: Share): number => Math.min(100, Math.round(share * 1_000) / 10);

const toDisk = ({ path, folders, share, sizeBytes, freeBytes }: DiskUse, uses: readonly Use[], warningShare: Share): DiskBody => ({
  path,
  uses: uses.filter((use) => folders.includes(use.folder)).map(({ purpose }) => purpose),
  size: sizeBytes,
  free: freeBytes,
  usage: toPercent(share),
  is_above_threshold: share > warningShare,
});

interface Use {
  readonly purpose: DiskPurpose;
  readonly folder: string;
}

/** What lies where; a folder that is not made yet counts for the disk where it will be. */
const listUses = async ({ storage, dataPath }: StorageSources['config']): Promise<Use[]> => {
  const { type, path, tempPath, backupPath } = storage;
  const wanted: [DiskPurpose, string][] = [
    ...(type === 'local' ? [['documents', path] satisfies [DiskPurpose, string]] : []),
    ['temporary_files', tempPath],
    ['data', dataPath],
    ['backups', backupPath],
  ];
  return await Promise.all(wanted.map(async ([purpose, folder]) => ({ purpose, folder: await nearestFolder(folder) })));
};

/** Where documents are stored, what they take and how full the disks are. */
const readStorageReport = async ({ config, db, cache, warningShare }: StorageSources): Promise<StorageBody> => {
  const uses = await listUses(config);
  const [disks, total] = await Promise.all([
    readDisks([...new Set(uses.map(({ folder }) => folder))]),
    cache.get(TOTALS, 'total', () => readStoredSize(db)),
  ]);
  const bodies = disks.map((disk) => toDisk(disk, uses, warningShare));
  return {
    type: config.storage.type,
    places: storagePlaces(config.storage),
    documents: total.documents,
    documents_bytes: total.bytes,
    disks: bodies,
    warning_threshold: toPercent(warningShare),
    backups_share_disk: bodies.some((disk) => disk.uses.includes('documents') && disk.uses.includes('backups')),
  };
};

const COMMIT = findCommit(join(import.meta.dirname, '../../../..'));

const health = ({ takeHealthSnapshot }: HealthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/health',
    access: 'anyone',
    isProbe: true,
    summary: 'Get the health of the components',
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
    response: detailedHealthBody,
    handle: async (_input) => toDetailedHealthBody(await takeHealthSnapshot(), config.signIn.appSecretKey),
  });

const storage = ({ config, database, cache, diskWarningShare }: HealthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/health/storage',
    access: 'system.read',
    summary: 'Get where documents are stored, their size and the free space of the disks',
    response: storageBody,
    handle: async (_input) => await readStorageReport({ config, db: database.db, cache, warningShare: diskWarningShare.current() }),
  });

const versionOf = (apiVersion: ApiVersion): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/version',
    access: 'signed-in',
    summary: 'Get the version of the service, API and database schema',
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
