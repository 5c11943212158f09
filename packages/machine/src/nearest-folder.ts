import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The folder `path`, or the nearest one above it that is there: where it would be made. A file is named as it is. */
export const nearestFolder = async (path: string): Promise<string> => {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const above = dirname(path);
  return isThere || above === path ? path : nearestFolder(above);
};
