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
  return `a running part of the service does not know both ${places.join(' and ')}, and would not find what is moved: ${names}. Give the service the same S3_* variables and UPLOAD_PATH as this tool and restart it, or stop it; then run this again`;
};
