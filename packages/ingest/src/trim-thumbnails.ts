import { isRetiredThumbnail, SEARCHABLE_PREFIX, type Storage, type StoredObject, THUMBNAILS_PREFIX } from '@sheaf/storage';

export interface TrimDeps {
  readonly storage: Storage;
  /** Of all of them. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

const HOUR_MS = 3_600_000;
const hourOf = ({ modifiedAt }: StoredObject): number => Math.floor(modifiedAt.getTime() / HOUR_MS);

/**
 * Removes thumbnails in sizes that are stored no more, and of the others the oldest ones, by the hour, until `maxBytes` are left.
 * Returns how many were removed. Each is made again when somebody asks for it.
 */
export const trimThumbnails = (deps: TrimDeps): Promise<number> => trim(deps, THUMBNAILS_PREFIX);

/** The same with searchable PDFs. */
export const trimSearchablePdfs = (deps: TrimDeps): Promise<number> => trim(deps, SEARCHABLE_PREFIX);

const trim = async (deps: TrimDeps, prefix: string): Promise<number> => {
  const bytesByHour = new Map<number, number>();
  const retired = await removeWhere(deps, prefix, (thumbnail) => {
    if (isRetiredThumbnail(thumbnail.key)) return true;
    bytesByHour.set(hourOf(thumbnail), (bytesByHour.get(hourOf(thumbnail)) ?? 0) + thumbnail.sizeBytes);
    return false;
  });
  const firstKept = firstHourWithin(bytesByHour, deps.maxBytes);
  if (firstKept === undefined) return retired;
  return retired + (await removeWhere(deps, prefix, (thumbnail) => hourOf(thumbnail) < firstKept));
};

/** Undefined where all hours fit. */
const firstHourWithin = (bytesByHour: ReadonlyMap<number, number>, maxBytes: number): number | undefined => {
  let bytes = 0;
  for (const [hour, ofHour] of [...bytesByHour].toSorted(([a], [b]) => b - a)) {
    bytes += ofHour;
    if (bytes > maxBytes) return hour + 1;
  }
  return undefined;
};

const removeWhere = async (
  { storage, signal }: TrimDeps,
  prefix: string,
  isUnwanted: (object: StoredObject) => boolean,
): Promise<number> => {
  let removed = 0;
  for await (const object of storage.list(prefix)) {
    if (signal?.aborted === true) return removed;
    if (!isUnwanted(object)) continue;
    await storage.delete(object.key);
    removed += 1;
  }
  return removed;
};
