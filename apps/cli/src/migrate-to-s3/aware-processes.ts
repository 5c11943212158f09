import { type Db, listProcessesWithoutPlaces } from '@sheaf/db';

/** Three missed heartbeats count as gone. */
const SILENCE_MS = 15_000;

/**
 * Why documents must not be moved between `places` while the service runs as it does, as it would not find what was moved;
 * undefined where they may.
 */
export const explainUnaware = async (db: Db, places: readonly string[]): Promise<string | undefined> => {
  const unaware = await listProcessesWithoutPlaces(db, new Date(Date.now() - SILENCE_MS), places);
  if (unaware.length === 0) return undefined;
  const names = unaware.map(({ name, pid, host }) => `${name} (process ${pid} on ${host})`).join(', ');
  return `running processes do not have both ${places.join(' and ')} configured and would not find moved files: ${names}. Restart the service with the same S3_* variables and UPLOAD_PATH as this tool, or stop it; then run this again`;
};
