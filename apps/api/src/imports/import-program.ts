import { fileURLToPath } from 'node:url';
import type { HeldImport } from '@sheaf/imports/runs';
import { type ChildProgram, startChildProgram } from '@sheaf/process';

const PROGRAM = fileURLToPath(new URL('../../../cli/src/import-requested.ts', import.meta.url));

export type StartImportProgram = (held: HeldImport) => ChildProgram;

/**
 * Starts the program that imports, with the configuration of this process, or that of a test. It ends by itself when this process is gone;
 * then another one continues. Nothing is lost where it is stopped.
 */
export const makeStartImportProgram =
  (environment?: NodeJS.ProcessEnv): StartImportProgram =>
  ({ id, fence }) =>
    startChildProgram(PROGRAM, [id, String(fence)], { environment });
