import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool, writeLauncher } from '@sheaf/runtime';
import { officeLimits, type ToolSize } from './limits.ts';
import type { ColdConversion } from './office-cold-process.ts';
import type { OfficeOutcome } from './office-listener.ts';
import { writeOfficeProfile } from './office-profile.ts';
import { type OfficeProgram, RESTART_EXIT_CODE } from './office-program.ts';
import type { Limit } from './poppler.ts';

const PROGRAM = fileURLToPath(new URL('./office-cold-process.ts', import.meta.url));

/**
 * Converts with libreoffice-convert: an office of its own with a fresh profile. The library starts the office itself and
 * cannot end its family, so it runs in a process of its own and is given a launcher in place of the office.
 */
export const convertCold = async (
  program: OfficeProgram,
  inputPath: string,
  outFolder: string,
  size: ToolSize,
  limit: Limit,
): Promise<OfficeOutcome> => {
  const limits = officeLimits(size);
  const folder = join(outFolder, 'cold');
  await mkdir(folder, { recursive: true });
  const profileArg = await writeOfficeProfile(join(folder, 'profile'));
  const [once, again] = [join(folder, 'office-once'), join(folder, 'office')];
  // The library has a profile of its own in mind; of two the first counts.
  await writeLauncher(once, { file: program.main, args: [profileArg, '--norestore', '--nologo'], cwd: folder, limits });
  const restarting = `"${once}" "$@"; [ $? -ne ${RESTART_EXIT_CODE} ] || exec "${once}" "$@"`;
  await writeLauncher(again, { file: '/bin/sh', args: ['-c', restarting, 'office'], cwd: folder, limits });

  const pdfPath = join(outFolder, 'cold.pdf');
  const task: ColdConversion = { inputPath, pdfPath, officePath: again, temporaryPath: folder };
  const run = await runTool({
    file: process.execPath,
    args: [PROGRAM, JSON.stringify(task)],
    cwd: folder,
    timeoutMs: limit.timeoutMs,
    signal: limit.signal,
    // The office gets its limits inside these, and limits can only be narrowed.
    limits,
  });
  limit.signal.throwIfAborted();
  if (run.kind === 'timeout') return { ok: false, reason: 'timeout' };
  return run.kind === 'done' ? { ok: true, pdfPath } : { ok: false, reason: 'no_file' };
};
