import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeLauncher } from '@sheaf/runtime';
import { Poppler as NodePoppler } from 'node-poppler';
import { findProgram } from './find-program.ts';
import { type ToolSize, toolLimits } from './limits.ts';
import { type PageGeometry, parseGeometry } from './pdf-geometry.ts';

const TOOLS = ['pdfinfo', 'pdftotext', 'pdftoppm', 'pdfimages'] as const;
/** The callers' limits are far below it; it ends a program that they, for whatever reason, did not. */
const CPU_SECONDS = 900;
const OPEN_FILES = 64;

export type PopplerResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: 'timeout' | 'encrypted' | 'corrupt' };

export interface Limit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * poppler through node-poppler. The library starts the programs itself, without limits and with our environment, so it is
 * given a folder of launchers in place of the real programs: what runs is guarded like everything `runTool` starts.
 * The programs start no others, so ending one by the library's signal ends all there is.
 */
export class Poppler {
  readonly #programs: NodePoppler;

  private constructor(programs: NodePoppler) {
    this.#programs = programs;
  }

  /** Undefined when poppler is not installed. The launchers are made in `folder`. */
  static async open(folder: string, size: ToolSize): Promise<Poppler | undefined> {
    await mkdir(folder, { recursive: true });
    for (const tool of TOOLS) {
      const file = await findProgram(tool);
      if (file === undefined) return undefined;
      await writeLauncher(join(folder, tool), {
        file,
        args: [],
        cwd: folder,
        limits: { ...toolLimits(size, OPEN_FILES), cpuSeconds: CPU_SECONDS },
      });
    }
    return new Poppler(new NodePoppler(folder));
  }

  async countPages(path: string, limit: Limit): Promise<PopplerResult<number>> {
    const info = await outcomeOf(limit, (signal) => this.#programs.pdfInfo(path, { printAsJson: true }, { signal }));
    if (!info.ok) return info;
    const pages = typeof info.value === 'string' ? 0 : Number(info.value['pages']);
    return pages >= 1 ? { ok: true, value: pages } : { ok: false, reason: 'corrupt' };
  }

  /** Writes the text of all pages into one file, a form feed after each page. */
  async writeText(path: string, textPath: string, lastPage: number, limit: Limit): Promise<PopplerResult<unknown>> {
    const options = { lastPageToConvert: lastPage, outputEncoding: 'UTF-8', quiet: true };
    return outcomeOf(limit, (signal) => this.#programs.pdfToText(path, textPath, options, { signal }));
  }

  /** Size of the pages `first` to `last`, and the resolution of the pictures on them. */
  async geometry(path: string, first: number, last: number, limit: Limit): Promise<PopplerResult<ReadonlyMap<number, PageGeometry>>> {
    const range = { firstPageToConvert: first, lastPageToConvert: last };
    const [sizes, images] = await Promise.all([
      outcomeOf(limit, (signal) => this.#programs.pdfInfo(path, range, { signal })),
      outcomeOf(limit, (signal) => this.#programs.pdfImages(path, undefined, { ...range, list: true }, { signal })),
    ]);
    if (!sizes.ok) return sizes;
    if (typeof sizes.value !== 'string') return { ok: false, reason: 'corrupt' };
    // Without the list of images pages are still read, only at the configured resolution.
    return { ok: true, value: parseGeometry(sizes.value, images.ok ? images.value : '') };
  }

  /** Draws what is inside the crop box of one page, in grey, as `<prefix>.pgm`. */
  async drawGrey(path: string, page: number, dpi: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const options = { ...onePage(page), grayscaleFile: true, resolutionXYAxis: dpi, quiet: true };
    return outcomeOf(limit, (signal) => this.#programs.pdfToPpm(path, prefix, options, { signal }));
  }

  /** Draws one page in colour, its longer side `pixels` long, as `<prefix>.png`. */
  async drawColour(path: string, page: number, pixels: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const options = { ...onePage(page), pngFile: true, scalePageTo: pixels, quiet: true };
    return outcomeOf(limit, (signal) => this.#programs.pdfToPpm(path, prefix, options, { signal }));
  }
}

const onePage = (page: number) => ({ firstPageToConvert: page, lastPageToConvert: page, singleFile: true, cropBox: true });

/** An abort of the caller throws; everything else a document can do to a program is a value. */
const outcomeOf = async <T>({ timeoutMs, signal }: Limit, call: (signal: AbortSignal) => Promise<T>): Promise<PopplerResult<T>> => {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return { ok: true, value: await call(AbortSignal.any([signal, timeout])) };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { ok: false, reason: 'timeout' };
    // The library has only the program's words for it.
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: /incorrect password/i.test(message) ? 'encrypted' : 'corrupt' };
  }
};
