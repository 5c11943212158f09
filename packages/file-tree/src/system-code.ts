/** The code of an error of the file system; undefined for any other error. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error ? (error as NodeJS.ErrnoException).code : undefined;
