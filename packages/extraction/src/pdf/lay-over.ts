import { join } from 'node:path';
import { ExchangeFolder, runTool } from '@sheaf/tools';
import { findProgram } from '../find-program.ts';
import { type ToolSize, toolLimits } from '../limits.ts';
import { pageRanges } from './page-ranges.ts';
import type { Limit } from './poppler.ts';

interface Overlay {
  readonly path: string;
  /** The pages that those of the overlay are laid over, one each, in their order. */
  readonly onto: readonly number[];
}

type OverlayProblem = 'encrypted' | 'damaged' | 'timeout' | 'tool_missing';

const OPEN_FILES = 64;

/**
 * Lays the pages of one PDF over pages of another with qpdf and writes the result to `outPath`. Streams of the file keep their bytes, and
 * a file that only its owner may change keeps its password and what it permits.
 */
export const layOver = async (
  { path, scratchPath, limits }: { readonly path: string; readonly scratchPath: string; readonly limits: ToolSize },
  overlay: Overlay,
  outPath: string,
  { timeoutMs, signal }: Limit,
): Promise<OverlayProblem | undefined> => {
  const program = await findProgram('qpdf');
  if (program === undefined) return 'tool_missing';
  await using exchange = await ExchangeFolder.open(join(scratchPath, 'overlay'));
  const [file, text] = [await exchange.show(path, '.pdf'), await exchange.show(overlay.path, '.pdf')];
  const written = exchange.outputPath('.pdf');
  const run = await runTool({
    file: program,
    args: [
      '--warning-exit-0',
      '--decode-level=none',
      '--compress-streams=y',
      file,
      '--overlay',
      text,
      `--to=${pageRanges(overlay.onto)}`,
      '--',
      written,
    ],
    cwd: exchange.path,
    access: { readOnly: [file, text] },
    limits: toolLimits(limits, OPEN_FILES),
    timeoutMs,
    signal,
    maxOutputBytes: 64 * 1024,
  });
  signal.throwIfAborted();
  if (run.kind === 'done') return (await exchange.take(written, outPath)) ? undefined : 'damaged';
  if (run.kind === 'missing') return 'tool_missing';
  if (run.kind === 'timeout') return 'timeout';
  return run.kind === 'failed' && /invalid password/i.test(run.stderr) ? 'encrypted' : 'damaged';
};
