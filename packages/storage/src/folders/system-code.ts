/** The code of an error of the file system; undefined for any other error, also where it has a code of its own (see `errorCode`). */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error ? (error as NodeJS.ErrnoException).code : undefined;
