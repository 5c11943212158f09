import { mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ExchangeFolder, runTool, type ToolCommand, type ToolOutcome, writeLauncher } from '@sheaf/tools';
import { Poppler as NodePoppler } from 'node-poppler';
import { findProgram } from '../find-program.ts';
import { type ToolSize, toolLimits } from '../limits.ts';

/** Programs that write files and say nothing. */
const WRITERS = ['pdftotext', 'pdftoppm', 'pdftohtml'] as const;
/** Programs that print, as much as a document makes them. */
const PRINTERS = ['pdfinfo', 'pdfimages', 'pdfdetach'] as const;
type Printer = (typeof PRINTERS)[number];
/** The callers' limits are far below it; it ends a program that they, for whatever reason, did not. */
const CPU_SECONDS = 900;
const OPEN_FILES = 64;
/** 80,000 pictures, or the boxes of 30,000 pages. One of a few kB can be drawn a million times. */
const MAX_PRINTED_BYTES = 8 * 1024 ** 2;
/** More is no e-invoice: as much as its reader takes, and one byte. */
const MAX_ATTACHMENT_BYTES = 24 * 1024 ** 2 + 1;

type Failure = 'timeout' | 'encrypted' | 'corrupt' | 'reader_died';

export type PopplerResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: Failure };

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
 * poppler for one PDF. What writes files is started through node-poppler. The library starts the programs itself, without limits and with
 * our environment, so it is given a folder of launchers in place of the real programs: what runs is guarded like everything `runTool`
 * starts, and sees this PDF alone. The programs start no others, so ending one by the library's signal ends all there is. It keeps whatever
 * they print: those that print are started by `runTool`, which ends them when it is too much.
 */
export class Poppler {
  readonly #programs: NodePoppler;
  readonly #printers: Readonly<Record<Printer, ToolCommand>>;
  readonly #exchange: ExchangeFolder;
  readonly #path: string;

  private constructor(programs: NodePoppler, printers: Readonly<Record<Printer, ToolCommand>>, exchange: ExchangeFolder, path: string) {
    this.#programs = programs;
    this.#printers = printers;
    this.#exchange = exchange;
    this.#path = path;
  }

  /** Whether poppler is installed. */
  static async isInstalled(): Promise<boolean> {
    return (await Promise.all([...WRITERS, ...PRINTERS].map(findProgram))).every((file) => file !== undefined);
  }

  /** For the PDF at `path`; undefined when poppler is not installed. Folders are made in `scratchPath`, one PDF each. */
  static async open(path: string, scratchPath: string, size: ToolSize): Promise<Poppler | undefined> {
    const exchange = await ExchangeFolder.open(join(scratchPath, 'pdf'));
    const shownPath = await exchange.show(path, '.pdf');
    const launchers = join(scratchPath, 'poppler');
    await mkdir(launchers);
    const commandOf = async (tool: string, toolSize: ToolSize): Promise<ToolCommand | undefined> => {
      const file = await findProgram(tool);
      const limits = { ...toolLimits(toolSize, OPEN_FILES), cpuSeconds: CPU_SECONDS };
      return file === undefined ? undefined : { file, args: [], cwd: exchange.path, access: { readOnly: [shownPath] }, limits };
    };
    for (const tool of WRITERS) {
      const command = await commandOf(tool, size);
      if (command === undefined) return undefined;
      await writeLauncher(join(launchers, tool), command);
    }
    const [pdfinfo, pdfimages, pdfdetach] = [
      await commandOf('pdfinfo', size),
      await commandOf('pdfimages', size),
      await commandOf('pdfdetach', attachmentSize(size)),
    ];
    if (pdfinfo === undefined || pdfimages === undefined || pdfdetach === undefined) return undefined;
    return new Poppler(new NodePoppler(launchers), { pdfinfo, pdfimages, pdfdetach }, exchange, shownPath);
  }

  /** What a program prints of this PDF. */
  async #printed(tool: Printer, args: readonly string[], { timeoutMs, signal }: Limit): Promise<PopplerResult<string>> {
    signal.throwIfAborted();
    const command = { ...this.#printers[tool], args: [...args, this.#path] };
    const outcome = await runTool({ ...command, timeoutMs, signal, maxOutputBytes: MAX_PRINTED_BYTES });
    signal.throwIfAborted();
    return outcome.kind === 'done' ? { ok: true, value: outcome.stdout.toString('utf8') } : { ok: false, reason: failureOf(outcome) };
  }

  /** How many pages there are, and what pdfinfo says of the first `mostPages` of them. */
  async pages(mostPages: number, limit: Limit): Promise<PopplerResult<{ readonly count: number; readonly sizes: string }>> {
    const info = await this.#printed('pdfinfo', ['-f', '1', '-l', String(mostPages), '-box'], limit);
    if (!info.ok) return info;
    const sizes = info.value;
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

  /** What pdfimages says of the pictures on the pages up to `lastPage`; nothing where it cannot say it, or where there are very many. */
  async listPictures(lastPage: number, limit: Limit): Promise<string> {
    const list = await this.#printed('pdfimages', ['-f', '1', '-l', String(lastPage), '-list'], limit);
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
    const list = await this.#printed('pdfdetach', ['-list'], limit);
    if (!list.ok) return [];
    return [...list.value.matchAll(/^(\d{1,6}): (.*)$/gm)].map(([, number, name = '']) => ({ number: Number(number), name }));
  }

  /** Writes an embedded file to `outPath`; false where it cannot be had, or is larger than the XML of an e-invoice may be. */
  async saveAttachment(number: number, outPath: string, limit: Limit): Promise<boolean> {
    const path = this.#exchange.outputPath('.xml');
    const saved = await this.#printed('pdfdetach', ['-save', String(number), '-o', path], limit);
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

  /** Draws one page in colour, its longer side `pixels` long, as `<prefix>.ppm`: to write a PNG takes as long as to draw the page. */
  async drawColour(page: number, pixels: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    return this.#draw({ ...onePage(page), scalePageTo: pixels, quiet: true }, `${prefix}.ppm`, limit);
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

/** What it says of a file how a program ended that was to print. */
export const failureOf = (outcome: Exclude<ToolOutcome, { kind: 'done' }>): Failure => {
  switch (outcome.kind) {
    case 'timeout':
    case 'cancelled':
      return 'timeout';
    case 'output_too_large':
      return 'corrupt';
    case 'missing':
      return 'reader_died';
    case 'failed':
      // without a code or a signal it was never started; a document that crashes it ends it by another signal
      if ((outcome.signal ?? 'SIGKILL') === 'SIGKILL' && (outcome.exitCode ?? KILLED) === KILLED) return 'reader_died';
      return isEncrypted(outcome.stderr) ? 'encrypted' : 'corrupt';
  }
};

const isEncrypted = (message: string): boolean => /incorrect password/i.test(message);

/** Ended by SIGKILL within its sandbox. */
const KILLED = 137;

/** Ended by SIGKILL: itself, or within its sandbox. A document that crashes the program ends it by another signal. */
const WAS_KILLED = /exited with code (?:null|137)$/;

/** The library has only the words of a program that ran. What has a code could not be started, and a TypeError is that its version could not be had. */
const reasonOf = (error: unknown): Failure => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TypeError || (error instanceof Error && 'code' in error) || WAS_KILLED.test(message)) return 'reader_died';
  return isEncrypted(message) ? 'encrypted' : 'corrupt';
};
