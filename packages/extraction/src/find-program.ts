import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { toolEnvironment } from '@sheaf/tools';

/** The full path of a program on the path that tools get, or undefined. */
export const findProgram = async (name: string): Promise<string | undefined> => {
  for (const folder of (toolEnvironment('/')['PATH'] ?? '').split(':')) {
    if (!folder.startsWith('/')) continue;
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
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
