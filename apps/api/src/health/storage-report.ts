import { type FixedConfig, storagePlaces } from '@sheaf/config';
import type { StorageBody } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { readStoredSize } from '@sheaf/documents';
import type { MemoryCache } from '@sheaf/process';
import { type DiskUse, nearestFolder, readDisks, type Share } from '@sheaf/process/machine';

type DiskBody = StorageBody['disks'][number];
type DiskPurpose = DiskBody['uses'][number];

export interface StorageSources {
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
export const readStorageReport = async ({ config, db, cache, warningShare }: StorageSources): Promise<StorageBody> => {
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
