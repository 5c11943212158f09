import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load, MeasuredLoad } from './http-load-client.ts';

/** Runs a load from a process of its own: what the client costs is not in the api's loop, though it is on the same cores. */
export const runLoad = async (load: Load): Promise<readonly number[]> => {
  const child = fork(join(import.meta.dirname, 'http-load-client.ts'));
  try {
    child.send(load);
    const [{ times, failures }] = (await once(child, 'message')) as [MeasuredLoad];
    if (failures.length > 0) throw new Error(`${failures.length} of ${times.length} requests failed: ${failures.slice(0, 5).join(', ')}`);
    return times;
  } finally {
    child.kill();
  }
};
