import { resolve } from 'node:path';
import { readEnvironment } from '@sheaf/config';

/** The path that a person means by `path` on the command line: bin/sheaf has left the folder where they called it, and tells which it was. */
export const fromCaller = (path: string): string => resolve(readEnvironment().SHEAF_CALLED_FROM ?? '.', path);
