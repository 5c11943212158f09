import { openRoot } from '@sheaf/storage/folders';
import type { ForeignItem } from '../foreign/foreign-document.ts';
import { ImportSourceError } from '../source-error.ts';
import { DEFAULT_PATTERN, PathPattern, PatternError } from './path-pattern.ts';
import { readFolder } from './read-folder.ts';

const parsePattern = (pattern: string): PathPattern => {
  try {
    return new PathPattern(pattern);
  } catch (error) {
    throw error instanceof PatternError ? new ImportSourceError(`The pattern cannot be used. ${error.message}`) : error;
  }
};

/** The files of a folder by a pattern of their paths. Throws an ImportSourceError where either cannot be used. */
export const openFolder = async (
  path: string,
  pattern = DEFAULT_PATTERN,
  signal = new AbortController().signal,
): Promise<AsyncIterable<ForeignItem>> => {
  const parsed = parsePattern(pattern);
  const outcome = await openRoot({ path });
  if (outcome.kind === 'absent') throw new ImportSourceError(`There is no folder ${path}.`);
  if (outcome.kind === 'link') throw new ImportSourceError(`${path} is a link; give the folder that it leads to.`);
  return readFolder(outcome.root, parsed, signal);
};
