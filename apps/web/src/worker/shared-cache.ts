/** The cache of files that other apps shared with the client. */
export const SHARED_CACHE = 'sheaf-shared-files';

/** They are nobody else's who signs in with the same browser. */
export const forgetAllSharedFiles = async (): Promise<void> => {
  if ('caches' in globalThis) await caches.delete(SHARED_CACHE);
};
