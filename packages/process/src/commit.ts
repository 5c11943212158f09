import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The first line of a file; undefined where it cannot be read. */
const readLine = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trim();
  } catch {
    return undefined; // there is none, or it is not for us
  }
};

/** Where git keeps its things: a folder, or in a further working tree a file that names it. */
const gitFolderOf = (root: string): string => {
  const link = readLine(join(root, '.git'));
  return link?.startsWith('gitdir: ') === true ? resolve(root, link.slice('gitdir: '.length)) : join(root, '.git');
};

const readPacked = (path: string, name: string): string | undefined => {
  try {
    const line = readFileSync(path, 'utf8')
      .split('\n')
      .find((text) => text.endsWith(` ${name}`));
    return line?.split(' ')[0];
  } catch {
    return undefined;
  }
};

const readHead = (git: string): string | undefined => {
  const head = readLine(join(git, 'HEAD'));
  if (head?.startsWith('ref: ') !== true) return head;
  const name = head.slice('ref: '.length);
  // branches of a further working tree are those of the first
  const common = resolve(git, readLine(join(git, 'commondir')) ?? '.');
  return readLine(join(common, name)) ?? readPacked(join(common, 'packed-refs'), name);
};

/**
 * The commit that the sources below `root` are from: what the file COMMIT says, which whoever packs them may leave, else the HEAD of git.
 * Undefined where neither is there. Reads files and starts no program.
 */
export const findCommit = (root: string): string | undefined =>
  [readLine(join(root, 'COMMIT')), readHead(gitFolderOf(root))].find((text) => text !== undefined && COMMIT.test(text));
