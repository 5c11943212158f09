import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExchangeFolder, noteProgramStart, runTool, type ToolCommand, type ToolOutcome } from '@sheaf/sandbox';
import { type ToolSize, toolLimits } from '../extraction.ts';
import { findProgram } from '../find-program.ts';
import type { LookRequest } from '../images/image-messages.ts';
import { type DrawOptions, failureOf, type Limit, PopplerLibrary, type PopplerResult } from './poppler-library.ts';

export type { Limit, PopplerResult } from './poppler-library.ts';

const PROGRAMS = ['pdftotext', 'pdftoppm', 'pdftohtml', 'pdfinfo', 'pdfimages', 'pdfdetach'] as const;
type Program = (typeof PROGRAMS)[number];
/** The callers' limits are far below it; it ends a program that they, for whatever reason, did not. */
const CPU_SECONDS = 900;
const OPEN_FILES = 64;
/** 80,000 pictures, or the boxes of 30,000 pages. One of a few kB can be drawn a million times. */
const MAX_PRINTED_BYTES = 8 * 1024 ** 2;
/** More is no e-invoice: as much as its reader takes, and one byte. */
const MAX_ATTACHMENT_BYTES = 24 * 1024 ** 2 + 1;
/** Of the time for all of a look: what is left is for what has to be had. */
const WORDS_SHARE = 0.8;

/** A file that is embedded in a PDF. */
export interface Attachment {
  /** From 1. */
  readonly number: number;
  readonly name: string;
}

export interface Look {
  readonly count: number;
  /** What pdfinfo says of the pages. */
  readonly sizes: string;
  readonly text: PopplerResult<unknown>;
  /** What pdfimages says of the pictures; nothing where it cannot say it, or where there are very many. */
  readonly pictures: string;
  readonly attachments: readonly Attachment[];
  readonly hasPicture: boolean;
}

/**
 * poppler for one PDF: what runs is guarded like everything `runTool` starts, and sees this PDF alone. To start a sandbox costs as much as
 * most of what is done in it, so what is asked of every document is done in one.
 */
export class Poppler {
  readonly #programs: Readonly<Record<Program, string>>;
  readonly #exchange: ExchangeFolder;
  readonly #path: string;
  readonly #scratchPath: string;
  readonly #size: ToolSize;
  readonly #library: PopplerLibrary;

  private constructor(
    programs: Readonly<Record<Program, string>>,
    exchange: ExchangeFolder,
    { path, scratchPath, size }: { readonly path: string; readonly scratchPath: string; readonly size: ToolSize },
  ) {
    this.#programs = programs;
    this.#exchange = exchange;
    this.#path = path;
    this.#scratchPath = scratchPath;
    this.#size = size;
    this.#library = new PopplerLibrary(join(scratchPath, 'poppler'), (program) => this.#command(programs[program], size));
  }

  /** Whether poppler is installed. */
  static async isInstalled(): Promise<boolean> {
    return (await findPrograms()) !== undefined;
  }

  /** For the PDF at `path`; undefined when poppler is not installed. A folder is made in `scratchPath`, one PDF each. */
  static async open(path: string, scratchPath: string, size: ToolSize): Promise<Poppler | undefined> {
    const programs = await findPrograms();
    if (programs === undefined) return undefined;
    const exchange = await ExchangeFolder.open(join(scratchPath, 'pdf'));
    return new Poppler(programs, exchange, { path: await exchange.show(path, '.pdf'), scratchPath, size });
  }

  get programs(): Readonly<Record<Program, string>> {
    return this.#programs;
  }

  /** Finds out in one sandbox what is needed of every document; how it failed where not even the number of pages is to be had. */
  async look(request: LookRequest, { timeoutMs, signal }: Limit): Promise<PopplerResult<Look>> {
    signal.throwIfAborted();
    const exchange = this.#exchange;
    const [text, words, picture] = [exchange.outputPath('.txt'), exchange.outputPath('.html'), exchange.outputPath()];
    const { wantsPictures, wantsAttachments, mostPages } = request;
    const parts: readonly Program[] = [
      'pdfinfo',
      'pdftotext',
      'pdftotext',
      ...(wantsPictures ? (['pdfimages'] as const) : []),
      ...(wantsAttachments ? (['pdfdetach'] as const) : []),
      ...(request.picture === undefined ? [] : (['pdftoppm'] as const)),
    ];
    for (const part of parts) noteProgramStart(this.#programs[part]);
    const wordsSeconds = Math.max(1, Math.floor((timeoutMs / 1_000) * WORDS_SHARE));
    const outcome = await this.#start('/bin/sh', {
      args: [
        '-c',
        LOOK_SCRIPT,
        'look',
        this.#path,
        `${mostPages}`,
        text,
        words,
        `${wordsSeconds}`,
        wantsPictures ? 'yes' : '',
        wantsAttachments ? 'yes' : '',
        picture,
        request.picture ? `${request.picture.pixels}` : '',
        ...(['pdfinfo', 'pdftotext', 'pdfimages', 'pdfdetach', 'pdftoppm'] as const).map((name) => this.#programs[name]),
      ],
      limit: { timeoutMs, signal },
    });
    signal.throwIfAborted();
    await exchange.take(text, request.textPath);
    await exchange.take(words, request.wordsPath);
    const hasPicture = request.picture !== undefined && (await exchange.take(`${picture}.ppm`, request.picture.path));
    const said = 'stderr' in outcome ? outcome.stderr : '';
    const end = (part: LookPart): ToolOutcome => endOfPart(part, outcome, said);
    const info = end('info');
    if (info.kind !== 'done') return { ok: false, reason: failureOf({ ...info, ...(await this.#errorsOf('info', info)) }) };
    const sizes = await this.#printedBy('info');
    const count = pageCountOf(sizes);
    if (count === undefined) return { ok: false, reason: 'corrupt' };
    const textEnd = end('text');
    const written =
      textEnd.kind === 'done' ? ({ ok: true, value: undefined } as const) : ({ ok: false, reason: failureOf(textEnd) } as const);
    return {
      ok: true,
      value: {
        count,
        sizes,
        text: written,
        pictures: end('pictures').kind === 'done' ? await this.#printedBy('pictures') : '',
        attachments: end('attachments').kind === 'done' ? attachmentsIn(await this.#printedBy('attachments')) : [],
        hasPicture,
      },
    };
  }

  /** What a part of a look printed. */
  async #printedBy(part: LookPart, kind: 'out' | 'err' = 'out'): Promise<string> {
    const path = join(this.#scratchPath, `look-${part}.${kind}`);
    const isThere = await this.#exchange.take(join(this.#exchange.path, `${part}.${kind}`), path);
    return isThere ? await readFile(path, 'utf8') : '';
  }

  async #errorsOf(part: LookPart, { kind }: ToolOutcome): Promise<{ readonly stderr?: string }> {
    return kind === 'failed' ? { stderr: await this.#printedBy(part, 'err') } : {};
  }

  /** A program that sees this PDF alone. */
  #command(file: string, size: ToolSize): ToolCommand {
    const readOnly = [this.#path, ...Object.values(this.#programs).filter((program) => !/^\/(?:usr|bin)\//.test(program))];
    const limits = { ...toolLimits(size, OPEN_FILES), cpuSeconds: CPU_SECONDS };
    return { file, args: [], cwd: this.#exchange.path, access: { readOnly }, limits };
  }

  async #start(
    file: string,
    { args, limit, size = this.#size }: { readonly args: readonly string[]; readonly limit: Limit; readonly size?: ToolSize },
  ): Promise<ToolOutcome> {
    limit.signal.throwIfAborted();
    const outcome = await runTool({ ...this.#command(file, size), args, ...limit, maxOutputBytes: MAX_PRINTED_BYTES });
    limit.signal.throwIfAborted();
    return outcome;
  }

  /** What a program makes of this PDF, and prints. */
  async #run(tool: Program, args: readonly string[], limit: Limit, size = this.#size): Promise<PopplerResult<string>> {
    const outcome = await this.#start(this.#programs[tool], { args, limit, size });
    return outcome.kind === 'done' ? { ok: true, value: outcome.stdout.toString('utf8') } : { ok: false, reason: failureOf(outcome) };
  }

  /** How many pages there are, and what pdfinfo says of the first `mostPages` of them. */
  async pages(mostPages: number, limit: Limit): Promise<PopplerResult<{ readonly count: number; readonly sizes: string }>> {
    const info = await this.#run('pdfinfo', ['-f', '1', '-l', String(mostPages), '-box', this.#path], limit);
    if (!info.ok) return info;
    const count = pageCountOf(info.value);
    return count === undefined ? { ok: false, reason: 'corrupt' } : { ok: true, value: { count, sizes: info.value } };
  }

  /** What pdfimages says of the pictures on the pages up to `lastPage`; nothing where it cannot say it, or where there are very many. */
  async listPictures(lastPage: number, limit: Limit): Promise<string> {
    const list = await this.#run('pdfimages', ['-f', '1', '-l', String(lastPage), '-list', this.#path], limit);
    return list.ok ? list.value : '';
  }

  /** Writes where the pictures of one page stand to `outPath`, as XML of pdftohtml. What else that program writes is removed. */
  async writePicturePlaces(page: number, outPath: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const path = this.#exchange.outputPath('.xml');
    const options = {
      firstPageToConvert: page,
      lastPageToConvert: page,
      xmlOutput: true,
      zoom: 1,
      noRoundedCoordinates: true,
      quiet: true,
    };
    const written = await this.#library.writePlaces(this.#path, path, options, limit);
    await this.#exchange.take(path, outPath);
    await this.#exchange.removeSiblings(path);
    return written;
  }

  /** The files that are embedded in the PDF; none where they cannot be had. A name may hold lines that look like further ones. */
  async listAttachments(limit: Limit): Promise<readonly Attachment[]> {
    const list = await this.#run('pdfdetach', ['-list', this.#path], limit);
    return list.ok ? attachmentsIn(list.value) : [];
  }

  /** Writes an embedded file to `outPath`; false where it cannot be had, or is larger than the XML of an e-invoice may be. */
  async saveAttachment(number: number, outPath: string, limit: Limit): Promise<boolean> {
    const path = this.#exchange.outputPath('.xml');
    const saved = await this.#run('pdfdetach', ['-save', String(number), '-o', path, this.#path], limit, attachmentSize(this.#size));
    return (await this.#exchange.take(path, outPath)) && saved.ok;
  }

  /** Draws what is inside the crop box of one page, in grey, as `<prefix>.pgm`; no file where the page cannot be drawn. */
  async drawGrey(page: number, dpi: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const outPrefix = this.#exchange.outputPath();
    const args = ['-f', `${page}`, '-l', `${page}`, '-singlefile', '-cropbox', '-gray', '-r', `${dpi}`, '-q', this.#path, outPrefix];
    const drawn = await this.#run('pdftoppm', args, limit);
    await this.#exchange.take(`${outPrefix}.pgm`, `${prefix}.pgm`);
    return drawn;
  }

  /**
   * Draws pages `first` to `last` at once, as `drawGrey` does one but each with its longer side `pixels` long, and answers where each is; a
   * page that cannot be drawn is left out, and those after it too where the program ended. Fewer pages are no error.
   */
  async drawGreyPages(first: number, last: number, pixels: number, prefix: string, limit: Limit): Promise<ReadonlyMap<number, string>> {
    const outPrefix = this.#exchange.outputPath();
    const options: DrawOptions = {
      firstPageToConvert: first,
      lastPageToConvert: last,
      cropBox: true,
      grayscaleFile: true,
      scalePageTo: pixels,
    };
    await this.#library.draw(this.#path, outPrefix, { ...options, quiet: true }, limit);
    const drawn = new Map<number, string>();
    // with leading zeros, as many as the number of the last page of the document has digits
    for (const name of await this.#exchange.siblingNames(outPrefix)) {
      const page = Number(/-0*(\d{1,9})\.pgm$/.exec(name)?.[1] ?? 0);
      const path = `${prefix}-${page}.pgm`;
      if (page >= first && page <= last && (await this.#exchange.take(join(this.#exchange.path, name), path))) drawn.set(page, path);
    }
    await this.#exchange.removeSiblings(outPrefix);
    return drawn;
  }

  /** Draws one page in colour, its longer side `pixels` long, as `<prefix>.ppm`: to write a PNG takes as long as to draw the page. */
  async drawColour(page: number, pixels: number, prefix: string, limit: Limit): Promise<PopplerResult<unknown>> {
    const outPrefix = this.#exchange.outputPath();
    const options: DrawOptions = {
      firstPageToConvert: page,
      lastPageToConvert: page,
      singleFile: true,
      cropBox: true,
      scalePageTo: pixels,
    };
    const drawn = await this.#library.draw(this.#path, outPrefix, { ...options, quiet: true }, limit);
    await this.#exchange.take(`${outPrefix}.ppm`, `${prefix}.ppm`);
    return drawn;
  }
}

const findPrograms = async (): Promise<Readonly<Record<Program, string>> | undefined> => {
  const found = await Promise.all(PROGRAMS.map(async (name) => [name, await findProgram(name)] as const));
  return found.every(([, path]) => path !== undefined) ? (Object.fromEntries(found) as Record<Program, string>) : undefined;
};

/** What the document says of itself stands before it, and may look like it. */
const pageCountOf = (info: string): number | undefined => {
  const count = Number([...info.matchAll(/^Pages:\s+(\d+)/gm)].at(-1)?.[1] ?? 0);
  return count >= 1 ? count : undefined;
};

export const attachmentsIn = (list: string): readonly Attachment[] =>
  [...list.matchAll(/^(\d{1,6}): (.*)$/gm)].map(([, number, name = '']) => ({ number: Number(number), name }));

const attachmentSize = (size: ToolSize): ToolSize => ({ ...size, toolFileBytes: Math.min(size.toolFileBytes, MAX_ATTACHMENT_BYTES) });

/** What is found out of every PDF at once: its pages, their text, the places of words, pictures, embedded files, a drawn page. */
type LookPart = 'info' | 'text' | 'words' | 'pictures' | 'attachments' | 'page';

/** CPU seconds of what is done in an instant, whatever the document is. */
const SHORT_SECONDS = 30;
const PAGE_SECONDS = 20;
/** What a program may print, in the blocks of 512 bytes that `ulimit -f` counts. */
const PRINTED_BLOCKS = (8 * 1024 ** 2) / 512;

/**
 * Arguments: the PDF, the last page, the file for the text and the one for words, CPU seconds for the words, whether pictures and attachments
 * are to be listed (not empty: yes), the prefix for the drawn page and its size (empty: none), then the programs. Says on standard error, which
 * is kept also where it fails, how each part ended; what the programs print lies in `<part>.out` and `<part>.err`. It fails when a part has
 * failed, so that a full disk is noticed.
 */
const LOOK_SCRIPT = `
pdf=$1 last=$2 text=$3 words=$4 wordsSeconds=$5 pictures=$6 attachments=$7 page=$8; shift 8
pixels=$1 pdfinfo=$2 pdftotext=$3 pdfimages=$4 pdfdetach=$5 pdftoppm=$6
part() {
  name=$1 seconds=$2; shift 2
  (
    [ -z "$seconds" ] || ulimit -t "$seconds"
    case $name in info|pictures|attachments) ulimit -f ${PRINTED_BLOCKS};; esac
    exec "$@" >"$name.out" 2>"$name.err" </dev/null
  )
  code=$?
  echo "$name $code" >&2
  return $code
}
part info ${SHORT_SECONDS} "$pdfinfo" -f 1 -l "$last" -box "$pdf" & a=$!
part text '' "$pdftotext" -q -enc UTF-8 -l "$last" "$pdf" "$text" & b=$!
part words "$wordsSeconds" "$pdftotext" -q -enc UTF-8 -l "$last" -bbox-layout -cropbox "$pdf" "$words" & c=$!
d= e= f=
if [ -n "$pictures" ]; then part pictures ${SHORT_SECONDS} "$pdfimages" -f 1 -l "$last" -list "$pdf" & d=$!; fi
if [ -n "$attachments" ]; then part attachments ${SHORT_SECONDS} "$pdfdetach" -list "$pdf" & e=$!; fi
if [ -n "$pixels" ]; then part page ${PAGE_SECONDS} "$pdftoppm" -f 1 -l 1 -singlefile -cropbox -scale-to "$pixels" -q "$pdf" "$page" & f=$!; fi
end=0
for one in $a $b $c $d $e $f; do wait "$one" || end=1; done
exit $end
`;

/** What the shell says of a program that ended by a signal. */
const BY_SIGNAL = 128;
const SIGXCPU = 24;
const SIGXFSZ = 25;
const NOT_FOUND = 127;

/** How one part ended of what was started together; what of it was not said ended as the whole did. */
export const endOfPart = (part: LookPart, outcome: ToolOutcome, said: string): ToolOutcome => {
  const code = new RegExp(`^${part} (\\d{1,3})$`, 'm').exec(said)?.[1];
  if (code === undefined) return outcome.kind === 'done' ? { kind: 'failed', exitCode: undefined, signal: undefined, stderr: '' } : outcome;
  const exitCode = Number(code);
  if (exitCode === 0) return { kind: 'done', stdout: Buffer.alloc(0), stderr: '' };
  if (exitCode === NOT_FOUND) return { kind: 'missing' };
  if (exitCode === BY_SIGNAL + SIGXCPU) return { kind: 'timeout' };
  if (exitCode === BY_SIGNAL + SIGXFSZ) return { kind: 'output_too_large' };
  return { kind: 'failed', exitCode, signal: undefined, stderr: '' };
};
