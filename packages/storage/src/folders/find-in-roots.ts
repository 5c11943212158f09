import { realpath, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

export type PlaceOutcome =
  /** A folder, by its path with all links followed. */
  | { readonly kind: 'inside'; readonly realPath: string }
  /** It would be inside, and there is no folder. */
  | { readonly kind: 'absent' }
  /** Not in any root, or only by a link. */
  | { readonly kind: 'outside' };

/**
 * Looks where a folder lies. A root may be reached by links, as whoever configured it chose; below it none is followed. Throws
 * system errors but ENOENT and ENOTDIR.
 */
export const findInRoots = async (path: string, roots: readonly string[]): Promise<PlaceOutcome> => {
  let outcome: PlaceOutcome = { kind: 'outside' };
  for (const root of roots) {
    const found = await findInRoot(resolve(path), resolve(root));
    if (found.kind === 'inside') return found;
    if (found.kind === 'absent') outcome = found;
  }
  return outcome;
};

const findInRoot = async (path: string, root: string): Promise<PlaceOutcome> => {
  const realRoot = await unlessAbsent(realpath(root));
  const below = [root, realRoot ?? root].map((base) => relative(base, path)).find(leadsDown);
  if (below === undefined) return { kind: 'outside' };
  const realPath = await unlessAbsent(realpath(path));
  if (realPath === undefined || realRoot === undefined) return { kind: 'absent' };
  if (realPath !== join(realRoot, below)) return { kind: 'outside' };
  const facts = await unlessAbsent(stat(realPath));
  return facts?.isDirectory() === true ? { kind: 'inside', realPath } : { kind: 'absent' };
};

const leadsDown = (below: string): boolean => below !== '..' && !below.startsWith('../');

const unlessAbsent = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};
