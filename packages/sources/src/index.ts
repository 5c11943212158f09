export type { Listing, OpenedFile, RefusedEntry, RemoteFile, SourceDriver } from './driver.ts';
export { DEFAULT_DRIVER_LIMITS, type DriverLimits } from './driver-limits.ts';
export { isSameTag } from './file-version.ts';
export { type DriverDeps, type DriverSettings, makeDriver } from './make-driver.ts';
export { fetchByTrust, makePublicFetch } from './public-fetch.ts';
export { MAX_SHOWN_CHARACTERS } from './remote-path.ts';
export { type SourceConnection, toDriverSettings } from './source-connection.ts';
export { SourceError } from './source-error.ts';
export { openSourceSecret, sealSourceSecret } from './source-secret.ts';
