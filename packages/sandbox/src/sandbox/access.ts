/** What a program may open beside the system's libraries and fonts. Paths are absolute and the same inside and outside. */
export interface ToolAccess {
  readonly readOnly?: readonly string[];
  /** Beside the working directory, which always is. */
  readonly writable?: readonly string[];
  /** The folder that is `/tmp` inside; an empty one in memory where none is given. */
  readonly temporaryFolder?: string;
}
