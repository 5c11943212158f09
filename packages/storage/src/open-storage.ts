import { JoinedStorage } from './joined-storage.ts';
import { LocalStorage } from './local-storage.ts';
import type { Storage } from './storage.ts';
import type { StorageSettings, StorageType } from './storage-settings.ts';

export interface OpenStorageOptions {
  /** Whether there are documents whose bytes are in the local folder: then a folder without any is not that one. */
  readonly hasLocalDocuments: () => Promise<boolean>;
}

/**
 * The storage of one type alone, as a tool that moves objects needs it. Throws where that type is not configured.
 * Drivers are loaded when they are needed: the one for S3 costs each process 0.2 s and 20 MB.
 */
export const openOneStorage = async (
  type: StorageType,
  settings: StorageSettings,
  { hasLocalDocuments }: OpenStorageOptions,
): Promise<Storage> => {
  const { s3, azure, tempPath } = settings;
  if (type === 'local') return new LocalStorage({ ...settings, hasDocuments: hasLocalDocuments });
  if (type === 's3' && s3 !== undefined) return (await import('./s3/s3-storage.ts')).openS3Storage({ ...s3, tempPath });
  if (type === 'azure' && azure !== undefined) return (await import('./azure/azure-storage.ts')).openAzureStorage({ ...azure, tempPath });
  throw new Error(`the storage ${type} is not configured`);
};

/** Which types the configuration knows, the one for new objects first. */
export const knownTypes = ({ type, s3, azure }: StorageSettings): StorageType[] => {
  const others: readonly StorageType[] = [
    'local',
    ...(s3 === undefined ? [] : ['s3' as const]),
    ...(azure === undefined ? [] : ['azure' as const]),
  ];
  return [type, ...others.filter((other) => other !== type)];
};

/** The storage of the service: new objects go to the configured one; what is not there is looked for in the other known ones. */
export const openStorage = async (settings: StorageSettings, options: OpenStorageOptions): Promise<Storage> => {
  const [type, ...others] = knownTypes(settings);
  if (type === undefined) throw new Error('no storage is configured');
  const main = await openOneStorage(type, settings, options);
  const further = await Promise.all(
    others.map(async (other) => ({
      storage: await openOneStorage(other, settings, options),
      // The folder is always known. Empty, nobody has to care for it.
      isInUse: other === 'local' ? options.hasLocalDocuments : async () => true,
    })),
  );
  return new JoinedStorage(main, further);
};
