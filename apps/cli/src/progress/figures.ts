const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

/** `12.3 MB`. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)));
  return `${power === 0 ? bytes : (bytes / STEP ** power).toFixed(1)} ${UNITS[power]}`;
};

/** `20,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** `12.3 s, 103.4 MB/s`. */
export const formatPace = (bytes: number, elapsedMs: number): string =>
  `${(elapsedMs / 1_000).toFixed(1)} s, ${(bytes / 1e6 / Math.max(elapsedMs / 1_000, 0.001)).toFixed(1)} MB/s`;
