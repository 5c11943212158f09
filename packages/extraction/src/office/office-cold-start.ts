import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExchangeFolder, runTool } from '@sheaf/sandbox';
import { officeLimits, type ToolSize } from '../limits.ts';
import { NODE_MODULES } from '../node-modules.ts';
import type { Limit } from '../pdf/poppler.ts';
import type { ColdConversion } from './office-cold-process.ts';
import type { OfficeOutcome, OfficeTarget } from './office-listener.ts';
import { writeOfficeProfile } from './office-profile.ts';
import { type OfficeProgram, officeEnvironment, RESTART_EXIT_CODE } from './office-program.ts';

const NO_FILE_EXIT_CODE = 65;

const PROGRAM = fileURLToPath(new URL('./office-cold-process.ts', import.meta.url));

/**
 * Converts with libreoffice-convert: an office of its own with a fresh profile. The library starts the office itself and
 * cannot end its family, so it runs in a process of its own, in one sandbox with the office that it starts.
 */
export const convertCold = async (
  program: OfficeProgram,
  inputPath: string,
  outFolder: string,
  target: OfficeTarget,
  size: ToolSize,
  limit: Limit,
): Promise<OfficeOutcome> => {
  await using exchange = await ExchangeFolder.open(join(outFolder, 'cold'));
  const made = exchange.outputPath(`.${target}`);
  const task: ColdConversion = {
    inputPath: await exchange.give(inputPath, extname(inputPath)),
    outPath: made,
    target,
    starterPath: join(exchange.path, 'office'),
    starter: starterOf(program, await writeOfficeProfile(exchange)),
    temporaryPath: exchange.path,
    noFileExitCode: NO_FILE_EXIT_CODE,
  };
  const run = await runTool({
    file: process.execPath,
    args: [PROGRAM, JSON.stringify(task)],
    cwd: exchange.path,
    access: { readOnly: [program.folder, ...NODE_MODULES] },
    timeoutMs: limit.timeoutMs,
    signal: limit.signal,
    env: officeEnvironment(program),
    limits: officeLimits(size),
  });
  limit.signal.throwIfAborted();
  if (run.kind === 'timeout') return { ok: false, reason: 'timeout' };
  const hasEnded = run.kind === 'done' || (run.kind === 'failed' && run.exitCode === NO_FILE_EXIT_CODE);
  if (!hasEnded) return { ok: false, reason: 'died' };
  const path = join(outFolder, `cold.${target}`);
  return run.kind === 'done' && (await exchange.take(made, path)) ? { ok: true, path } : { ok: false, reason: 'no_file' };
};

/**
 * What the library starts in place of the office: the office with our profile, and once more when it has made a new one. The library takes
 * a word on stderr for a failure, where the file tells whether it was made.
 */
const starterOf = ({ main }: OfficeProgram, profileArg: string): string => {
  // The library has a profile of its own in mind; of two the first counts.
  const once = [main, profileArg, '--norestore', '--nologo'].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return `#!/bin/sh\n${once} "$@" 2>/dev/null\ncode=$?\n[ $code -eq ${RESTART_EXIT_CODE} ] || exit $code\nexec ${once} "$@" 2>/dev/null\n`;
};
