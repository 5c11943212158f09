import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findProgram, isExecutable } from '../find-program.ts';

export interface OfficeProgram {
  /** The office itself. The `soffice` script starts it as a grandchild, which would survive a killed parent. */
  readonly main: string;
  /** Where it is installed. */
  readonly folder: string;
}

export const OFFICE_ARGS = ['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck', '--nofirststartwizard'];
/** It finds its libraries beside itself by `/proc`, which a sandbox in a container may not have. */
export const officeEnvironment = ({ main }: OfficeProgram): Record<string, string> => ({ LD_LIBRARY_PATH: dirname(main) });

/** What it ends with when it has made a new profile and wants to be started again. */
export const RESTART_EXIT_CODE = 81;

export const findOffice = async (): Promise<OfficeProgram | undefined> => {
  const script = (await findProgram('soffice')) ?? (await findProgram('libreoffice'));
  if (script === undefined) return undefined;
  const folder = dirname(await realpath(script));
  const program = { main: join(folder, 'soffice.bin'), folder: dirname(folder) };
  return (await isExecutable(program.main)) ? program : undefined;
};
