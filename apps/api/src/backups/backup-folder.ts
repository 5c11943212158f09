import { access, constants, stat } from 'node:fs/promises';
import { errorCode } from '@sheaf/contract';
import { nearestFolder } from '@sheaf/process/machine';

/** Why no backup can be written to `folder`, which may have to be made first; undefined where one can. */
export const backupFolderProblem = async (folder: string): Promise<string | undefined> => {
  const place = await nearestFolder(folder);
  try {
    if (!(await stat(place)).isDirectory()) return `${place} is not a folder`;
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${place} cannot be written to (${errorCode(error) ?? String(error)})`;
  }
};
