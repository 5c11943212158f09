import picomatch from 'picomatch';

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

/** `*.pdf` is meant for files in every folder, `invoices/**` for whole paths; `.*` is a pattern of its own, not an exception of `*`. */
const compile = (pattern: string): ((path: string) => boolean) =>
  picomatch(pattern, { basename: !pattern.includes('/'), dot: true, nocase: true });

/** The patterns of a watch folder, over paths below its root. */
export const makeNamePatterns = ({ patterns, ignorePatterns }: PatternSettings): NamePatterns => {
  const wanted = patterns.map(compile);
  const ignoring = ignorePatterns.map((pattern) => ({ pattern, matches: compile(pattern) }));
  return {
    findIgnoring: (path) => ignoring.find(({ matches }) => matches(path))?.pattern,
    isWanted: (path) => wanted.some((matches) => matches(path)),
  };
};
