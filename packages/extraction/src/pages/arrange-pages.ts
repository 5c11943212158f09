import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ExchangeFolder, runTool } from '@sheaf/sandbox';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { toolLimits } from '../extraction.ts';
import { findProgram } from '../find-program.ts';
import { type PictureMaker, picturePdf } from '../images/image-host.ts';
import { pageRanges } from '../pdf/lay-over.ts';

/** A page of a new document. */
export interface ArrangedPage {
  /** Which of the files it is from, from 0. */
  readonly file: number;
  /** From 1. */
  readonly page: number;
  /** Clockwise, in addition to how it lies in its file. */
  readonly rotateBy?: 0 | 90 | 180 | 270;
}

interface ArrangeRequest {
  /** PDFs and pictures. */
  readonly files: readonly {
    readonly path: string;
    readonly mimeType: string;
    /** How many pages it is known to have, so that none is left out unseen. */
    readonly pageCount?: number;
  }[];
  /** The pages of each new document, one at least. */
  readonly documents: readonly (readonly ArrangedPage[])[];
  /** A folder for this alone, which is removed by whoever made it. The new files lie in it. */
  readonly scratchPath: string;
  readonly pictures: Pick<PictureMaker, 'ask' | 'limits'>;
  /** For each file and each new document. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

/** Why there is none. `no_such_page`: a file has fewer pages; `page_count`: it has another number of pages than is known of it. */
export type ArrangeProblem =
  | 'encrypted'
  | 'damaged'
  | 'timeout'
  | 'tool_missing'
  | 'unsupported'
  | 'too_large'
  | 'no_such_page'
  | 'page_count';

type Arranged =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly problem: ArrangeProblem; readonly file?: number };

const LIMIT_MS = 300_000;
const OPEN_FILES = 64;
/** An argument has 128 KiB at most: so many page numbers fit whatever they are. */
const PAGES_AN_ARGUMENT = 10_000;

/**
 * PDFs of pages of other files, in the order given; streams keep their bytes, and the same request makes the same file. A PDF that is used as a
 * whole keeps what it has beside its pages, such as bookmarks; of one that loses a page nothing else is copied, so that no page stays in it
 * unseen. Passwords and signatures are lost. Strangers' files are read in sandboxed processes. Throws the signal's reason.
 */
export const arrangePages = async (request: ArrangeRequest): Promise<Arranged> => {
  const program = await findProgram('qpdf');
  if (program === undefined) return { ok: false, problem: 'tool_missing' };
  await using exchange = await ExchangeFolder.open(join(request.scratchPath, 'pages'));
  const qpdf = new PageProgram(program, exchange, request);
  const sources: Source[] = [];
  for (const [file, { path, mimeType, pageCount }] of request.files.entries()) {
    const source = await openSource(qpdf, request, { file, path, mimeType });
    if (!source.ok) return { ...source, file };
    if (pageCount !== undefined && source.pageCount !== pageCount) return { ok: false, problem: 'page_count', file };
    sources.push(source);
  }
  const paths: string[] = [];
  for (const [at, pages] of request.documents.entries()) {
    if (!pages.every(({ file, page }) => page >= 1 && page <= (sources[file]?.pageCount ?? 0)))
      return { ok: false, problem: 'no_such_page' };
    const outPath = join(request.scratchPath, `document-${at + 1}.pdf`);
    const problem = await qpdf.write(sources, pages, outPath);
    if (problem !== undefined) return { ok: false, problem };
    paths.push(outPath);
  }
  return { ok: true, paths };
};

interface Source {
  readonly ok: true;
  /** Where the program finds the PDF. */
  readonly path: string;
  readonly pageCount: number;
}

const openSource = async (
  qpdf: PageProgram,
  { scratchPath, pictures, timeoutMs = LIMIT_MS, signal }: ArrangeRequest,
  { file, path, mimeType }: { readonly file: number; readonly path: string; readonly mimeType: string },
): Promise<Source | { readonly ok: false; readonly problem: ArrangeProblem }> => {
  const family = findKindByMimeType(mimeType)?.family;
  if (family !== 'pdf' && family !== 'image') return { ok: false, problem: 'unsupported' };
  if (family === 'pdf') return qpdf.open(path);
  const ownPath = join(scratchPath, `picture-${file + 1}`);
  await mkdir(ownPath);
  const pdf = await picturePdf({ path, mimeType, scratchPath: ownPath, pictures, timeoutMs, signal });
  return pdf.ok ? qpdf.open(pdf.path) : pdf;
};

/** qpdf, as far as pages are concerned. */
class PageProgram {
  readonly #program: string;
  readonly #exchange: ExchangeFolder;
  readonly #request: Pick<ArrangeRequest, 'pictures' | 'timeoutMs' | 'signal'>;

  constructor(program: string, exchange: ExchangeFolder, request: Pick<ArrangeRequest, 'pictures' | 'timeoutMs' | 'signal'>) {
    this.#program = program;
    this.#exchange = exchange;
    this.#request = request;
  }

  async open(file: string): Promise<Source | { readonly ok: false; readonly problem: ArrangeProblem }> {
    const path = await this.#exchange.show(file, '.pdf');
    const run = await this.#run(['--show-npages', path], [path]);
    if (!run.ok) return run;
    const pageCount = Number(run.stdout.trim());
    return pageCount >= 1 ? { ok: true, path, pageCount } : { ok: false, problem: 'damaged' };
  }

  async write(sources: readonly Source[], pages: readonly ArrangedPage[], outPath: string): Promise<ArrangeProblem | undefined> {
    const written = this.#exchange.outputPath('.pdf');
    const used = [...new Set(pages.map(({ file }) => file))].flatMap((file) => sources[file]?.path ?? []);
    const run = await this.#run(
      [
        wholeSource(sources, pages) ?? '--empty',
        '--decrypt',
        '--deterministic-id',
        '--pages',
        ...selections(sources, pages),
        '--',
        ...rotations(pages),
        written,
      ],
      used,
    );
    if (!run.ok) return run.problem;
    if (!(await this.#exchange.take(written, outPath))) return 'damaged';
    const made = await this.open(outPath);
    if (!made.ok) return made.problem;
    return made.pageCount === pages.length ? undefined : 'damaged';
  }

  async #run(
    args: readonly string[],
    readOnly: readonly string[],
  ): Promise<{ readonly ok: true; readonly stdout: string } | { readonly ok: false; readonly problem: ArrangeProblem }> {
    const { pictures, timeoutMs = LIMIT_MS, signal } = this.#request;
    const run = await runTool({
      file: this.#program,
      args: ['--warning-exit-0', '--no-warn', ...args],
      cwd: this.#exchange.path,
      access: { readOnly },
      limits: toolLimits(pictures.limits, OPEN_FILES),
      timeoutMs,
      signal,
      maxOutputBytes: 64 * 1024,
    });
    signal.throwIfAborted();
    if (run.kind === 'done') return { ok: true, stdout: run.stdout.toString('utf8') };
    if (run.kind === 'missing') return { ok: false, problem: 'tool_missing' };
    if (run.kind === 'timeout') return { ok: false, problem: 'timeout' };
    return { ok: false, problem: run.kind === 'failed' && /invalid password/i.test(run.stderr) ? 'encrypted' : 'damaged' };
  }
}

/** The first file of a document, where all its pages are in it. */
const wholeSource = (sources: readonly Source[], pages: readonly ArrangedPage[]): string | undefined => {
  const [first] = pages;
  const source = first && sources[first.file];
  const own = new Set(pages.filter(({ file }) => file === first?.file).map(({ page }) => page));
  return source !== undefined && own.size === source.pageCount ? source.path : undefined;
};

/** Files and the pages of each, as `--pages` takes them. */
const selections = (sources: readonly Source[], pages: readonly ArrangedPage[]): string[] => {
  const runs: { file: number; pages: number[] }[] = [];
  for (const { file, page } of pages) {
    const last = runs.at(-1);
    if (last?.file === file && last.pages.length < PAGES_AN_ARGUMENT) last.pages.push(page);
    else runs.push({ file, pages: [page] });
  }
  return runs.flatMap((run) => [sources[run.file]?.path ?? '', pageRanges(run.pages)]);
};

const rotations = (pages: readonly ArrangedPage[]): string[] =>
  [90, 180, 270].flatMap((angle) => {
    const turned = pages.flatMap(({ rotateBy }, at) => (rotateBy === angle ? [at + 1] : []));
    const parts = Array.from({ length: Math.ceil(turned.length / PAGES_AN_ARGUMENT) }, (_, part) =>
      turned.slice(part * PAGES_AN_ARGUMENT, (part + 1) * PAGES_AN_ARGUMENT),
    );
    return parts.map((part) => `--rotate=+${angle}:${pageRanges(part)}`);
  });
