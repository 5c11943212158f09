import { chmod, writeFile } from 'node:fs/promises';
import { type ToolCommand, toolEnvironment } from './run-tool.ts';
import { DEFAULT_TOOL_LIMITS, guardPrefix } from './tool-guard.ts';

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Writes a small script at `path` that becomes `command`, with the script's own arguments behind it, under the guard of
 * `runTool`: for libraries that insist on starting a program themselves. Time limits stay with the caller.
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
  await writeFile(path, `#!/bin/sh\ncd ${quote(cwd)} && exec ${words.map(quote).join(' ')} "$@"\n`);
  await chmod(path, 0o700);
};
