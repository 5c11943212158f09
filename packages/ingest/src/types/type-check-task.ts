import type { KindMatch } from './kind-match.ts';
import { type ContainerToMatch, matchContainer } from './match-container.ts';

/** A file that could not be read; what is wrong with its contents is a match. */
export interface UnreadFile {
  readonly unread: string;
}

/** The task of a thread of `TypeCheck`. An error of the system is told in words: on its way out of a thread it would lose its code. */
export default async (container: ContainerToMatch): Promise<KindMatch | UnreadFile> => {
  try {
    return await matchContainer(container);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return { unread: error.message };
    throw error;
  }
};
