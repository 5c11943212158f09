import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where a tree begins. */
export interface RootPath {
  /** Absolute. */
  readonly path: string;
}

/** A root that is there, for one walk. */
export type OpenRoot<Root extends RootPath = RootPath> = Root & {
  /** With all links followed. */
  readonly realPath: string;
  /** Which folder it is, whatever is mounted or made at its path later. */
  readonly identity: string;
};

export type RootOutcome<Root extends RootPath> =
  | { readonly kind: 'open'; readonly root: OpenRoot<Root> }
  | { readonly kind: 'absent' }
  | { readonly kind: 'link' };

/**
 * Looks what a root is. One that is a link is refused, wherever it leads: links above it are the choice of whoever set the folder
 * up, but the folder itself may have been swapped by someone who may only write beside it. Throws system errors but ENOENT.
 */
export const openRoot = async <Root extends RootPath>(root: Root): Promise<RootOutcome<Root>> => {
  try {
    const [realPath, realParent] = await Promise.all([realpath(root.path), realpath(dirname(root.path))]);
    if (realPath !== join(realParent, basename(root.path))) return { kind: 'link' };
    return { kind: 'open', root: { ...root, realPath, identity: await identityOf(realPath) } };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'absent' };
    throw error;
  }
};

/** Whether the path of the root still leads to the very folder that was opened. */
export const isStillThere = async (root: OpenRoot): Promise<boolean> => {
  const outcome = await openRoot(root).catch(() => undefined);
  return outcome?.kind === 'open' && outcome.root.identity === root.identity;
};

const identityOf = async (path: string): Promise<string> => {
  const { dev, ino } = await lstat(path, { bigint: true });
  return `${dev}:${ino}`;
};
