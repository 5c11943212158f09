import { symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DEFAULT_TOOL_LIMITS, guardPrefix, type ToolCommand, toolEnvironment } from './run-tool.ts';

/**
 * What is started is never written. The kernel starts no file that anybody has open for writing (ETXTBSY), and between fork and exec the
 * programs that other threads start have open whatever this process has: a new script could fail on a busy machine.
 */
const SCRIPT = fileURLToPath(new URL('./launcher.sh', import.meta.url));

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Makes a small program at `path`, a new name, that becomes `command`, with its own arguments behind it, under the guard of `runTool`:
 * for libraries that insist on starting a program themselves. They have to start it by its whole path. Time limits stay with the caller.
 */
export const writeLauncher = async (path: string, { file, args, cwd, access, env, limits }: ToolCommand): Promise<void> => {
  const variables = Object.entries(toolEnvironment(cwd, env)).map(([name, value]) => `${name}=${value}`);
  const words = [
    '/usr/bin/env',
    '-i',
    ...variables,
    ...guardPrefix({ ...DEFAULT_TOOL_LIMITS, ...limits }, { file, cwd, access }),
    file,
    ...args,
  ];
  await writeFile(`${path}.command`, `cd ${quote(cwd)} && exec ${words.map(quote).join(' ')} "$@"\n`);
  await symlink(SCRIPT, path);
};
