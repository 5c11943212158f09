import { dirname } from 'node:path';
import { EXCHANGE_FOLDER_MODE, makeFolder } from '@sheaf/process/machine';
import { HeldFolder, systemCode } from '@sheaf/storage/folders';
import { numberedName } from './numbered-name.ts';

/** A folder below the processed folder, with the names that lead to it. */
export interface TargetFolder extends AsyncDisposable {
  readonly folder: HeldFolder;
  readonly names: readonly Buffer[];
}

/**
 * The folder that these names lead to below `base`, made where it is absent. Where a file or a link has one of the names, the
 * folder gets a number. Throws system errors.
 */
export const openTargetFolder = async (base: string, names: readonly Buffer[]): Promise<TargetFolder> => {
  let folder = await openBase(base);
  const actual: Buffer[] = [];
  try {
    for (const name of names) {
      const child = await openNumbered(folder, name);
      await folder[Symbol.asyncDispose]();
      folder = child.folder;
      actual.push(child.name);
    }
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  return { folder, names: actual, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
};

const openBase = async (base: string): Promise<HeldFolder> => {
  const first = await makeFolder(base, { mode: EXCHANGE_FOLDER_MODE });
  if (first !== undefined) for (let made = base; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
  return HeldFolder.open(base);
};

const syncFolder = async (path: string): Promise<void> => {
  await using folder = await HeldFolder.open(path);
  await folder.sync();
};

const openNumbered = async (parent: HeldFolder, wanted: Buffer): Promise<{ folder: HeldFolder; name: Buffer }> => {
  for (let number = 0; ; number += 1) {
    const name = numberedName(wanted, number);
    const folder = await openOrMake(parent, name);
    if (folder !== undefined) return { folder, name };
  }
};

/** Undefined when the name belongs to something that is no folder. */
const openOrMake = async (parent: HeldFolder, name: Buffer): Promise<HeldFolder | undefined> => {
  try {
    await parent.makeChild(name);
    return await parent.openChild(name);
  } catch (error) {
    if (['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
};
