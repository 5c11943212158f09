import { copyFile, link, open, opendir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, problemOf, warning } from '@sheaf/contract/operations';
import { FILE_MODE } from '@sheaf/process/machine';
import { DurableFolders } from './durable-folders.ts';
import { fileDamaged, fileMissing, withStorageErrors } from './errors.ts';
import { DOCUMENTS_PREFIX, isKey, JoinedStorage, THUMBNAILS_PREFIX } from './joined-storage.ts';
import type { ByteRange, OpenedObject, PutResult, Storage, StorageSettings, StorageSource, StorageType, StoredObject } from './storage.ts';
import { exists, type Mark, TempArea } from './temp-area.ts';

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

interface LocalStorageSettings {
  readonly path: string;
  /** Thumbnails may live elsewhere: they can be made again. */
  readonly thumbnailPath: string;
  /** Whether there are documents, whose bytes are somewhere: then a folder without any is not the storage. */
  readonly hasDocuments?: () => Promise<boolean>;
}

/** The part of a disk that should stay free, and the amount that is plenty on any disk. */
const LOW_SHARE = 0.05;
const PLENTY_BYTES = 5 * 1024 ** 3;

/** A file system that cannot link, or not from there. */
const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The documents in a folder of this machine. */
export class LocalStorage implements Storage {
  readonly #main: Root;
  readonly #thumbnails: Root;

  constructor(settings: LocalStorageSettings) {
    const { path, thumbnailPath, hasDocuments = async () => false } = settings;
    const hasFolder = (): Promise<boolean> => exists(join(path, DOCUMENTS_PREFIX));
    // asked again at the end: the first document of all may have been stored here meanwhile, and be the one that there is
    this.#main = makeRoot(path, true, async () => (await hasFolder()) || !(await hasDocuments()) || (await hasFolder()));
    // Thumbnails that lie within the documents' folder must not make that one.
    // One whose name is lost in a power cut is made again; its bytes are synced first, so that none is ever there in part.
    this.#thumbnails = makeRoot(thumbnailPath, false, () => this.#main.incoming.make().then(() => true));
  }

  get place(): string {
    return this.#main.path;
  }

  put(key: string, source: StorageSource): Promise<PutResult> {
    return this.#guarded(async () => {
      const root = this.#rootOf(key);
      const target = this.pathOf(key);
      if (typeof source === 'string') {
        await settle(source);
        return await publish(root, source, target);
      }
      await using copy = await root.incoming.makeFile();
      await writeDurably(copy.path, source);
      return await publish(root, copy.path, target);
    });
  }

  replace(key: string, source: StorageSource): Promise<void> {
    return this.#guarded(async () => {
      const root = this.#rootOf(key);
      const target = this.pathOf(key);
      await using copy = await root.incoming.makeFile();
      await (typeof source === 'string' ? copyDurably(source, copy.path) : writeDurably(copy.path, source));
      await takePlace(root, copy.path, target);
    });
  }

  open(key: string, range?: ByteRange): Promise<OpenedObject> {
    return this.#guarded(async () => {
      const handle = await this.#present(key, () => open(this.pathOf(key), 'r'));
      try {
        const { size } = await handle.stat();
        if (range !== undefined && range.start >= size) throw fileDamaged(key);
        return { stream: handle.createReadStream({ highWaterMark: 256 * 1024, ...range }), sizeBytes: size };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  localPath(key: string): Promise<string> {
    return this.#guarded(async () => {
      await this.#present(key, () => stat(this.pathOf(key)));
      return this.pathOf(key);
    });
  }

  stat(key: string): Promise<StoredObject | undefined> {
    return this.#guarded(async () => {
      const found = await statIfThere(this.pathOf(key));
      return found && { key, sizeBytes: found.size, modifiedAt: found.mtime };
    });
  }

  delete(key: string): Promise<boolean> {
    return this.#guarded(async () => {
      const isThere = (await statIfThere(this.pathOf(key))) !== undefined;
      await rm(this.pathOf(key), { force: true });
      return isThere;
    });
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const folder = prefix.replace(/\/$/, '');
    for await (const name of walk(this.pathOf(folder))) {
      const key = `${folder}/${name}`;
      const object = isKey(key) ? await this.stat(key) : undefined;
      if (object !== undefined) yield object;
    }
  }

  /** Exists, can be written, has room. */
  async check(): Promise<ComponentHealth> {
    const { path, incoming } = this.#main;
    try {
      return await this.#guarded(async () => {
        await using probe = await incoming.makeFile();
        await writeFile(probe.path, 'probe');
        const { bavail, blocks, bsize } = await statfs(path);
        const [free, total] = [bavail * bsize, blocks * bsize];
        if (free > PLENTY_BYTES || free > total * LOW_SHARE) return { status: 'healthy' };
        return warning('storage_low_space', { place: path, free_bytes: free });
      });
    } catch (error) {
      return foundProblems('unhealthy', [problemOf(error, 'storage_failing')]);
    }
  }

  async sweepLeftovers(before: Date): Promise<number> {
    return (await this.#main.incoming.sweep(before)) + (await this.#thumbnails.incoming.sweep(before));
  }

  async close(): Promise<void> {} // nothing is held open

  /** Translates the absence of the object itself. */
  async #present<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      await this.#rootOf(key).incoming.make(); // with the whole storage away nothing is known of the object
      throw fileMissing(key, error);
    }
  }

  #guarded<T>(work: () => Promise<T>): Promise<T> {
    return withStorageErrors(this.#main.path, work);
  }

  pathOf(key: string): string {
    if (!isKey(key)) throw new Error(`not a storage key: ${JSON.stringify(key)}`);
    const root = this.#rootOf(key);
    return join(root.path, root === this.#thumbnails ? key.slice(THUMBNAILS_PREFIX.length) : key);
  }

  #rootOf(key: string): Root {
    return `${key}/`.startsWith(THUMBNAILS_PREFIX) ? this.#thumbnails : this.#main;
  }
}

interface Root {
  readonly path: string;
  readonly folders: DurableFolders;
  /** Copies grow here, on the file system of the objects, until they are whole. While it is there, this is the storage that it was. */
  readonly incoming: TempArea;
}

const makeRoot = (path: string, mustLast: boolean, mayBeNew: Mark['mayBeNew']): Root => ({
  path,
  folders: new DurableFolders(path, mustLast),
  incoming: new TempArea(join(path, '.incoming'), { mayBeNew }),
});

const writeDurably = async (path: string, source: Readable | Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx', FILE_MODE);
  try {
    await handle.writeFile(source);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const copyDurably = async (source: string, path: string): Promise<void> => {
  await copyFile(source, path); // with the mode of the source
  await settle(path);
};

/** Makes a file that was written elsewhere as closed and as lasting as those that are written here. */
const settle = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    const mode = (await handle.stat()).mode & 0o777;
    if ((mode & FILE_MODE) !== mode) await handle.chmod(mode & FILE_MODE);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Gives the file `source`, whose bytes are synced, the name `target`, whoever has it now. */
const takePlace = async (root: Root, source: string, target: string): Promise<void> => {
  await workIn(dirname(target), root, () => rename(source, target));
  await root.folders.sync(dirname(target));
};

/** Gives the file `source`, whose bytes are synced, the name `target`. */
const publish = async (root: Root, source: string, target: string): Promise<PutResult> => {
  const folder = dirname(target);
  const isNew = (await workIn(folder, root, () => place(root, source, target))) === 'placed';
  await root.folders.sync(folder); // also for a kept object: whoever placed it may have died before this line
  return { path: target, isNew };
};

/** Does `work`, which needs `folder`. */
const workIn = async <T>(folder: string, root: Root, work: () => Promise<T>): Promise<T> => {
  if (!root.folders.isSafe(folder)) await makeFolder(folder, root);
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  root.folders.forget(); // somebody emptied the storage under us, or took it away
  await makeFolder(folder, root);
  return work();
};

/** Only below a storage that is there: under the mount point of a disk that is away the bytes would be lost with its return. */
const makeFolder = async (folder: string, root: Root): Promise<void> => {
  await root.incoming.make();
  await root.folders.make(folder);
};

const place = async (root: Root, source: string, target: string): Promise<'placed' | 'kept'> => {
  try {
    await link(source, target);
    return 'placed';
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code !== 'EEXIST' && !CANNOT_LINK.has(code)) throw error;
  }
  if (await keepIfEqualSize(source, target)) return 'kept';
  await using copy = await root.incoming.makeFile();
  await copyDurably(source, copy.path);
  await rename(copy.path, target);
  return 'placed';
};

const statIfThere = async (path: string) => {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** A kept object counts as fresh again, so that the sweeper of orphans leaves it to whoever is about to refer to it. */
const keepIfEqualSize = async (source: string, target: string): Promise<boolean> => {
  const [wanted, found] = await Promise.all([stat(source), statIfThere(target)]);
  if (found?.size !== wanted.size) return false;
  const now = new Date();
  await utimes(target, now, now);
  return true;
};

/** The paths of the files below `folder`, relative to it; hidden ones are no objects. */
const walk = async function* (folder: string): AsyncIterable<string> {
  try {
    for await (const entry of await opendir(folder)) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isFile()) yield entry.name;
      else if (entry.isDirectory()) for await (const name of walk(join(folder, entry.name))) yield `${entry.name}/${name}`;
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error; // nothing was put there yet
  }
};
