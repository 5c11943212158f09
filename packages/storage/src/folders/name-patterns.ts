import { compileGlob } from './patterns/glob.ts';

export interface PatternSettings {
  readonly patterns: readonly string[];
  readonly ignorePatterns: readonly string[];
}

export interface NamePatterns {
  /** The ignore pattern that a path matches, if any. */
  readonly findIgnoring: (path: string) => string | undefined;
  /** Whether a path matches one of the patterns of files to take. */
  readonly isWanted: (path: string) => boolean;
}

/** The patterns of a folder, over paths below its root. */
export const makeNamePatterns = ({ patterns, ignorePatterns }: PatternSettings): NamePatterns => {
  const wanted = patterns.map(compileGlob);
  const ignoring = ignorePatterns.map((pattern) => ({ pattern, matches: compileGlob(pattern).matches }));
  return {
    findIgnoring: (path) => ignoring.find(({ matches }) => matches(path))?.pattern,
    isWanted: (path) => wanted.some(({ matches }) => matches(path)),
  };
};
