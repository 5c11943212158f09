import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The paths of all files below a folder in which somebody else may be at work: a folder that goes meanwhile has none any more. */
export const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries.map(async (entry): Promise<string[]> => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
    try {
      return await filesBelow(path);
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  });
  return (await Promise.all(found)).flat();
};
