import type { FsPath } from '@sheaf/storage/folders';

const SLASH = 0x2f;

/** The names in a path below some folder. Throws when one of them would lead elsewhere. */
export const namesOf = (path: FsPath): Buffer[] => {
  const names: Buffer[] = [];
  let rest = Buffer.from(path as string);
  for (let slash = rest.indexOf(SLASH); slash >= 0; slash = rest.indexOf(SLASH)) {
    names.push(rest.subarray(0, slash));
    rest = rest.subarray(slash + 1);
  }
  names.push(rest);
  for (const name of names)
    if (['', '.', '..'].includes(name.toString('latin1'))) throw new Error(`not a path inside a folder: ${path.toString()}`);
  return names;
};

/** An absolute path as its folder and the name in it. */
export const splitPath = (path: FsPath): { folderPath: Buffer; name: Buffer } => {
  const bytes = Buffer.from(path as string);
  const slash = bytes.lastIndexOf(SLASH);
  return { folderPath: bytes.subarray(0, Math.max(slash, 1)), name: bytes.subarray(slash + 1) };
};
