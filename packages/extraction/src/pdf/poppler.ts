import { mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ExchangeFolder, writeLauncher } from '@sheaf/tools';
import { Poppler as NodePoppler } from 'node-poppler';
import { findProgram } from '../find-program.ts';
import { type ToolSize, toolLimits } from '../limits.ts';

const TOOLS = ['pdfinfo', 'pdftotext', 'pdftoppm', 'pdfimages', 'pdftohtml', 'pdfdetach'] as const;
/** The callers' limits are far below it; it ends a program that they, for whatever reason, did not. */
const CPU_SECONDS = 900;
const OPEN_FILES = 64;
/** More is no e-invoice: as much as its reader takes, and one byte. */
const MAX_ATTACHMENT_BYTES = 24 * 1024 ** 2 + 1;

export type PopplerResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: 'timeout' | 'encrypted' | 'corrupt' | 'reader_died' };

/** A file that is embedded in a PDF. */
export interface Attachment {
  /** From 1. */
  readonly number: number;
  readonly name: string;
}

export interface Limit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * poppler through node-poppler, for one PDF. The library starts the programs itself, without limits and with our environment, so it
 * is given a folder of launchers in place of the real programs: what runs is guarded like everything `runTool` starts, and sees
 * this PDF alone. The programs start no others, so ending one by the library's signal ends all there is.
 */
export class Poppler {
  readonly #programs: NodePoppler;
  readonly #exchange: ExchangeFolder;
  readonly #path: string;

  private constructor(programs: NodePoppler, exchange: ExchangeFolder, path: string) {
    this.#programs = programs;
    this.#exchange = exchange;
    this.#path = path;
  }

  /** Whether poppler is installed. */
  static async isInstalled(): Promise<boolean> {
    return (await Promise.all(TOOLS.map(findProgram))).every((file) => file !== undefined);
  }

  /** For the PDF at `path`; undefined when poppler is not installed. Folders are made in `scratchPath`, one PDF each. */
  static async open(path: string, scratchPath: string, size: ToolSize): Promise<Poppler | undefined> {
    const exchange = await ExchangeFolder.open(join(scratchPath, 'pdf'));
    const shownPath = await exchange.show(path, '.pdf');
    const launchers = join(scratchPath, 'poppler');
    await mkdir(launchers);
    for (const tool of TOOLS) {
      const file = await findProgram(tool);
      if (file === undefined) return undefined;
      await writeLauncher(join(launchers, tool), {
        file,
        args: [],
        cwd: exchange.path,
        access: { readOnly: [shownPath] },
        limits: { ...toolLimits(tool === 'pdfdetach' ? attachmentSize(size) : size, OPEN_FILES), cpuSeconds: CPU_SECONDS },
      });
    }
    return new Poppler(new NodePoppler(launchers), exchange, shownPath);
  }

  /** How many pages there are, and what pdfinfo says of the first `mostPages` of them. */
  async pages(mostPages: number, limit: Limit): Promise<PopplerResult<{ readonly count: number; readonly sizes: string }>> {
    const range = { firstPageToConvert: 1, lastPageToConvert: mostPages, printBoundingBoxes: true };
    const info = await outcomeOf(limit, (signal) => this.#programs.pdfInfo(this.#path, range, { signal }));
    if (!info.ok) return info;
    const sizes = typeof info.value === 'string' ? info.value : '';
    // What the document says of itself stands before it, and may look like it.
    const count = Number([...sizes.matchAll(/^Pages:\s+(\d+)/gm)].at(-1)?.[1] ?? 0);
    return count >= 1 ? { ok: true, value: { count, sizes } } : { ok: false, reason: 'corrupt' };
  }

  /** Writes the text of all pages to `textPath`, a form feed after each page; no file where there is no text to be had. */
  async writeText(textPath: string, lastPage: number, limit: Limit): Promise<PopplerResult<unknown>> {
    const options = { lastPageToConvert: lastPage, outputEncoding: 'UTF-8', quiet: true };
    const outPath = this.#exchange.outputPath('.txt');
    const written = await outcomeOf(limit, (signal) => this.#programs.pdfToText(this.#path, outPath, options, { signal }));
    await this.#exchange.take(outPath, textPath);
    return written;
  }

  /** Writes the words of all pages with their boxes to `wordsPath`, as XHTML; no file where there are none to be had. */
  async writeWords(wordsPath: string, lastPage: number, limit: Limit): Promise<PopplerResult<unknown>> {
    const options = { lastPageToConvert: lastPage, outputEncoding: 'UTF-8', quiet: true, boundingBoxXhtmlLayout: true, cropBox: true };
    const outPath = this.#exchange.outputPath('.html');
    const written = await outcomeOf(limit, (signal) => this.#programs.pdfToText(this.#path, outPath, options, { signal }));
    await this.#exchange.take(outPath, wordsPath);
    return written;
  }

  /** What pdfimages says of the pictures on the pages up to `lastPage`; nothing where it cannot say it. */
  async listPictures(lastPage: number, limit: Limit): Promise<string> {
    const options = { firstPageToConvert: 1, lastPageToConvert: lastPage, list: true };
    const list = await outcomeOf(limit, (signal) => this.#programs.pdfImages(this.#path, undefined, options, { signal }));
    return list.ok ? list.value : '';
  }

  /** Writes where the pictures of one page stand to `outPath`, as XML of pdftohtml. What else that program writes is removed. */
  async writePicturePlaces(page: number, outPath: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const { firstPageToConvert, lastPageToConvert } = onePage(page);
    const options = { firstPageToConvert, lastPageToConvert, xmlOutput: true, zoom: 1, noRoundedCoordinates: true, quiet: true };
    const path = this.#exchange.outputPath('.xml');
    const written = await outcomeOf(limit, (signal) => this.#programs.pdfToHtml(this.#path, path, options, { signal }));
    await this.#exchange.take(path, outPath);
    await this.#exchange.removeBeside(path);
    return written;
  }

  /** The files that are embedded in the PDF; none where they cannot be had. A name may hold lines that look like further ones. */
  async listAttachments(limit: Limit): Promise<readonly Attachment[]> {
    const list = await outcomeOf(limit, (signal) => this.#programs.pdfDetach(this.#path, { listEmbedded: true }, { signal }));
    if (!list.ok) return [];
    return [...list.value.matchAll(/^(\d{1,6}): (.*)$/gm)].map(([, number, name = '']) => ({ number: Number(number), name }));
  }

  /** Writes an embedded file to `outPath`; false where it cannot be had, or is larger than the XML of an e-invoice may be. */
  async saveAttachment(number: number, outPath: string, limit: Limit): Promise<boolean> {
    const path = this.#exchange.outputPath('.xml');
    const options = { saveSpecificFile: number, outputPath: path };
    const saved = await outcomeOf(limit, (signal) => this.#programs.pdfDetach(this.#path, options, { signal }));
    return (await this.#exchange.take(path, outPath)) && saved.ok;
  }

  /** Draws what is inside the crop box of one page, in grey, as `<prefix>.pgm`; no file where the page cannot be drawn. */
  async drawGrey(page: number, dpi: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    return this.#draw({ ...onePage(page), grayscaleFile: true, resolutionXYAxis: dpi, quiet: true }, `${prefix}.pgm`, limit);
  }

  /**
   * Draws pages `first` to `last` at once, as `drawGrey` does one but each with its longer side `pixels` long, and answers where each is; a
   * page that cannot be drawn is left out, and those after it too where the program ended. Fewer pages are no error.
   */
  async drawGreyPages(first: number, last: number, pixels: number, prefix: string, limit: Limit): Promise<ReadonlyMap<number, string>> {
    const options = { firstPageToConvert: first, lastPageToConvert: last, cropBox: true, grayscaleFile: true, scalePageTo: pixels };
    const outPrefix = this.#exchange.outputPath();
    await outcomeOf(limit, (signal) => this.#programs.pdfToPpm(this.#path, outPrefix, { ...options, quiet: true }, { signal }));
    const drawn = new Map<number, string>();
    // with leading zeros, as many as the number of the last page of the document has digits
    for (const name of await this.#exchange.namesBeside(outPrefix)) {
      const page = Number(/-0*(\d{1,9})\.pgm$/.exec(name)?.[1] ?? 0);
      const path = `${prefix}-${page}.pgm`;
      if (page >= first && page <= last && (await this.#exchange.take(join(this.#exchange.path, name), path))) drawn.set(page, path);
    }
    await this.#exchange.removeBeside(outPrefix);
    return drawn;
  }

  /** Draws one page in colour, its longer side `pixels` long, as `<prefix>.png`. */
  async drawColour(page: number, pixels: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    return this.#draw({ ...onePage(page), pngFile: true, scalePageTo: pixels, quiet: true }, `${prefix}.png`, limit);
  }

  async #draw(options: Parameters<NodePoppler['pdfToPpm']>[2], path: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const prefix = this.#exchange.outputPath();
    const drawn = await outcomeOf(limit, (signal) => this.#programs.pdfToPpm(this.#path, prefix, options, { signal }));
    await this.#exchange.take(`${prefix}${extname(path)}`, path);
    return drawn;
  }
}

const attachmentSize = (size: ToolSize): ToolSize => ({ ...size, toolFileBytes: Math.min(size.toolFileBytes, MAX_ATTACHMENT_BYTES) });

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
    return { ok: false, reason: reasonOf(error) };
  }
};

/** Ended by SIGKILL: itself, or within its sandbox. A document that crashes the program ends it by another signal. */
const WAS_KILLED = /exited with code (?:null|137)$/;

/** The library has only the words of a program that ran. What has a code could not be started, and a TypeError is that its version could not be had. */
const reasonOf = (error: unknown): 'encrypted' | 'corrupt' | 'reader_died' => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TypeError || (error instanceof Error && 'code' in error) || WAS_KILLED.test(message)) return 'reader_died';
  return /incorrect password/i.test(message) ? 'encrypted' : 'corrupt';
};
