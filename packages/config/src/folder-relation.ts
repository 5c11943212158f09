import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** How one folder lies to another one, with all links followed; also when neither exists yet. */
export type FolderRelation = 'same' | 'inside' | 'contains' | 'apart';

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

export const folderRelation = (path: string, other: string): FolderRelation => {
  const [here, there] = [canonical(path), canonical(other)];
  if (here === there) return 'same';
  if (isBelow(here, there)) return 'inside';
  return isBelow(there, here) ? 'contains' : 'apart';
};

const isBelow = (inner: string, outer: string): boolean => inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);

/** `path` with all links followed, also where its last parts do not exist yet, and where a link leads to what will be made later. */
const canonical = (path: string, links = 0): string => {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    if (parent === absolute) return absolute;
    const target = links < MAX_LINKS ? linkTarget(absolute) : undefined;
    return target === undefined
      ? join(canonical(parent, links), basename(absolute))
      : canonical(resolve(canonical(parent, links), target), links + 1);
  }
};

const linkTarget = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link, or nothing at all
  }
};
