import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { toolEnvironment } from '@sheaf/sandbox';

/** Every PDF asks for six programs, which takes 2 ms where the path is long. */
const KNOWN_MS = 60_000;
const known = new Map<string, { readonly path: string; readonly foundMs: number }>();

/** The full path of a program on the path that tools get, or undefined. One that was found is believed to be there for a minute. */
export const findProgram = async (name: string): Promise<string | undefined> => {
  const searched = toolEnvironment('/')['PATH'] ?? '';
  const key = `${searched}\0${name}`;
  const before = known.get(key);
  if (before !== undefined && performance.now() - before.foundMs < KNOWN_MS) return before.path;
  for (const folder of searched.split(':')) {
    if (!folder.startsWith('/')) continue;
    const path = join(folder, name);
    if (!(await isExecutable(path))) continue;
    known.set(key, { path, foundMs: performance.now() });
    return path;
  }
  known.delete(key);
  return undefined;
};

export const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there and not allowed are the same to us
  }
};
