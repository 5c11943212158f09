import { join } from 'node:path';
import { ExchangeFolder, runTool, type ToolOutcome } from '@sheaf/sandbox';
import { type ToolSize, toolLimits } from '../extraction.ts';
import { findProgram } from '../find-program.ts';
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
 * a file that only its owner may change keeps its password and what it permits. The same files make the same result, unless they are encrypted.
 * `damaged` where the result of a damaged file is damaged too.
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
  const until = performance.now() + timeoutMs;
  const qpdf = (args: readonly string[]) =>
    runTool({
      file: program,
      args,
      cwd: exchange.path,
      access: { readOnly: [file, text] },
      limits: toolLimits(limits, OPEN_FILES),
      timeoutMs: Math.max(1, until - performance.now()),
      signal,
      maxOutputBytes: 64 * 1024,
    });
  const layer = [file, '--overlay', text, `--to=${pageRanges(overlay.onto)}`, '--', written];
  let run = await qpdf([...KEEP_STREAMS, '--deterministic-id', ...layer]);
  // the id of an encrypted file is part of what it is encrypted with
  if (run.kind === 'failed' && /deterministic/i.test(run.stderr)) run = await qpdf([...KEEP_STREAMS, ...layer]);
  // what was mended may be whole now, or not
  if (hasWarnings(run)) run = await qpdf(['--check', '--warning-exit-0', written]);
  signal.throwIfAborted();
  if (run.kind === 'done') return (await exchange.take(written, outPath)) ? undefined : 'damaged';
  if (run.kind === 'missing') return 'tool_missing';
  if (run.kind === 'timeout') return 'timeout';
  return run.kind === 'failed' && /invalid password/i.test(run.stderr) ? 'encrypted' : 'damaged';
};

const KEEP_STREAMS = ['--decode-level=none', '--compress-streams=y'];
const EXIT_WITH_WARNINGS = 3;

const hasWarnings = (run: ToolOutcome): boolean => run.kind === 'failed' && run.exitCode === EXIT_WITH_WARNINGS;

/** `1-3,7`: what thousands of pages are on a command line. */
export const pageRanges = (pages: readonly number[]): string => {
  const ranges: string[] = [];
  let at = 0;
  while (at < pages.length) {
    const first = pages[at] ?? 0;
    let last = first;
    for (at += 1; pages[at] === last + 1; at += 1) last += 1;
    ranges.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return ranges.join(',');
};
