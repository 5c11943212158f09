// Files that other apps shared with the client, until the user uploads or discards them.

const ADDRESS = '/share-target/files/';
const NAME = 'x-sheaf-name';
const SHARED_AT = 'x-sheaf-shared-at';
const KEPT_MS = 24 * 3_600_000;

/** As many as are kept at once, and as large as they may be together. */
export const SHARED_LIMITS = { files: 50, bytes: 500 * 1024 ** 2 } as const;

export interface SharedFile {
  /** Under which it is kept. */
  readonly key: string;
  readonly file: File;
}

/** Those of `sizes`, in bytes, that still fit beside what is kept, by their positions; a file that does not fit does not keep out smaller ones. */
export const fitting = (sizes: readonly number[], kept: readonly number[]): ReadonlySet<number> => {
  let bytes = kept.reduce((sum, size) => sum + size, 0);
  const chosen = new Set<number>();
  for (const [position, size] of sizes.entries()) {
    if (kept.length + chosen.size >= SHARED_LIMITS.files || bytes + size > SHARED_LIMITS.bytes) continue;
    bytes += size;
    chosen.add(position);
  }
  return chosen;
};

/** Whether what was shared at `sharedAtMs` is still kept; what has no such time is not. */
export const isFresh = (sharedAtMs: number, nowMs: number): boolean => sharedAtMs <= nowMs && nowMs - sharedAtMs < KEPT_MS;

/** Undefined where nothing was shared, and over plain http, where browsers have neither workers nor caches. */
const keptFiles = async (): Promise<Cache | undefined> =>
  'caches' in globalThis && (await caches.has(SHARED_CACHE)) ? caches.open(SHARED_CACHE) : undefined;

/** What is kept, the first one first; removes what is too old. */
export const listSharedFiles = async (): Promise<readonly SharedFile[]> => {
  const cache = await keptFiles();
  const shared: SharedFile[] = [];
  for (const request of (await cache?.keys()) ?? []) {
    const response = await cache?.match(request);
    if (response === undefined) continue;
    if (!isFresh(Number(response.headers.get(SHARED_AT)), Date.now())) {
      await cache?.delete(request);
      continue;
    }
    const name = decodeURIComponent(response.headers.get(NAME) ?? '');
    const blob = await response.blob();
    shared.push({ key: request.url, file: new File([blob], name, { type: blob.type }) });
  }
  return shared;
};

/** Keeps what fits of `files`; returns how many did not. */
export const keepSharedFiles = async (files: readonly File[]): Promise<number> => {
  const kept = await listSharedFiles();
  const cache = await caches.open(SHARED_CACHE);
  const chosen = fitting(
    files.map(({ size }) => size),
    kept.map(({ file }) => file.size),
  );
  let stored = 0;
  for (const [position, file] of files.entries()) {
    if (!chosen.has(position)) continue;
    const headers = {
      'Content-Type': file.type,
      [NAME]: encodeURIComponent(file.name.toWellFormed()),
      [SHARED_AT]: String(Date.now()),
    };
    await cache.put(`${ADDRESS}${crypto.randomUUID()}`, new Response(file, { headers }));
    stored += 1;
  }
  return files.length - stored;
};

export const forgetSharedFiles = async (keys: readonly string[]): Promise<void> => {
  const cache = await keptFiles();
  for (const key of keys) await cache?.delete(key);
};

/** The cache of files that other apps shared with the client. */
const SHARED_CACHE = 'sheaf-shared-files';

/** They are nobody else's who signs in with the same browser. */
export const forgetAllSharedFiles = async (): Promise<void> => {
  if ('caches' in globalThis) await caches.delete(SHARED_CACHE);
};
