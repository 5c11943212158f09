import { execFile } from 'node:child_process';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ImageAnswer, LookProgram, PdfLookRequest } from '../images/image-messages.ts';
import { drawPpm, hasAllFonts, lookAtPage, type PageLook } from './pdf-page-look.ts';
import { dropPdfium, type Pdfium, startPdfium } from './pdfium.ts';
import { textOfLayout } from './text-of-layout.ts';

const execute = promisify(execFile);
const PART_MS = 10_000;
const MAX_PRINTED_BYTES = 8 * 1024 ** 2;
const MAX_WORDS_BYTES = 32 * 1024 ** 2;
const SAME_POINTS = 1;
const PAGE = /<page width="([\d.]+)" height="([\d.]+)">/g;

const unusual = (message: string): ImageAnswer => ({ ok: false, reason: 'corrupt', message });

/**
 * Finds out what is needed of every PDF. PDFium, which is here already, tells what the file is made of and draws the first page; of the programs
 * of poppler only those are started that it does not stand for. Of a file that is unusual in any way it says so alone: poppler looks at that.
 */
export const lookIntoPdf = async (request: PdfLookRequest): Promise<ImageAnswer> => {
  const pdfium = await startPdfium();
  const bytes = await readFile(request.path);
  const opened = tryTo(() => openPdf(pdfium, bytes));
  if (opened === undefined) return unusual('it cannot be opened');
  try {
    const { document } = opened;
    if (pdfium._FPDF_DocumentHasValidCrossReferenceTable(document) !== 1) return unusual('it is damaged');
    const count = pdfium._FPDF_GetPageCount(document);
    if (count < 1 || count > request.mostPages) return unusual('it has none or many pages');
    return await lookAt({ ...opened, count }, request);
  } finally {
    tryTo(opened.close);
  }
};

const openPdf = (pdfium: Pdfium, bytes: Buffer) => {
  const pointer = pdfium._malloc(bytes.length);
  if (pointer === 0) return undefined;
  pdfium.HEAPU8.set(bytes, pointer);
  const document = pdfium._FPDF_LoadMemDocument(pointer, bytes.length, 0);
  const close = (): void => {
    if (document !== 0) pdfium._FPDF_CloseDocument(document);
    pdfium._free(pointer);
  };
  if (document !== 0) return { pdfium, document, bytes, close };
  close();
  return undefined;
};

interface OpenPdf {
  readonly pdfium: Pdfium;
  readonly document: number;
  readonly bytes: Buffer;
  readonly count: number;
}

const lookAt = async (pdf: OpenPdf, request: PdfLookRequest): Promise<ImageAnswer> => {
  const { path, textPath, wordsPath, picture } = request;
  const programs: string[] = [];
  const run = async (name: LookProgram, args: readonly string[]): Promise<string> => {
    const program = request.programs[name];
    programs.push(program);
    const limits = { timeout: PART_MS, killSignal: 'SIGKILL', maxBuffer: MAX_PRINTED_BYTES } as const;
    return (await execute(program, args, limits)).stdout;
  };
  const pages = ['-f', '1', '-l', `${pdf.count}`];
  const words = run('pdftotext', ['-q', '-enc', 'UTF-8', ...pages, '-bbox-layout', '-cropbox', path, wordsPath]);
  const looks = tryTo(() => lookAtPages(pdf));
  if (looks === undefined)
    return words.then(
      () => unusual('a page is not whole'),
      () => unusual('a page is not whole'),
    );
  const drawn = picture && tryTo(() => drawFirst(pdf, looks, picture.pixels));
  const writeText = async (): Promise<void> => {
    await words;
    if (!(await writeTextOf(looks, request))) await run('pdftotext', ['-q', '-enc', 'UTF-8', ...pages, path, textPath]);
  };
  const writePicture = async (): Promise<void> => {
    if (picture !== undefined) await (drawn === undefined ? drawByPoppler(run, path, picture) : writeFile(picture.path, drawn));
  };
  const ends = await Promise.allSettled([
    request.wantsPictures && needsPictures(pdf, looks) ? run('pdfimages', [...pages, '-list', path]) : '',
    request.wantsAttachments && needsAttachments(pdf, looks) ? run('pdfdetach', ['-list', path]) : '',
    writeText(),
    writePicture(),
  ]);
  const [pictures, attachments] = ends;
  // nothing runs any more that could write for the next document
  if (pictures.status === 'rejected' || attachments.status === 'rejected' || ends.some(({ status }) => status === 'rejected'))
    return unusual('a program failed');
  if (!(await hasSamePages(wordsPath, looks))) return unusual('its pages are others for poppler');
  const sizes = `Pages: ${pdf.count}\n${looks.map(({ lines }) => lines).join('')}`;
  return { ok: true, pages: pdf.count, dpi: 0, look: { sizes, pictures: pictures.value, attachments: attachments.value }, programs };
};

/** Undefined where PDFium could not do it; it is started anew for the next document then, as nobody knows what is left of it. */
const tryTo = <T>(use: () => T): T | undefined => {
  try {
    return use();
  } catch {
    dropPdfium();
    return undefined;
  }
};

/** Of all pages; undefined where one is not whole. */
const lookAtPages = ({ pdfium, document, count }: OpenPdf): readonly PageLook[] | undefined => {
  const looks: PageLook[] = [];
  for (let at = 0; at < count; at += 1) {
    const page = pdfium._FPDF_LoadPage(document, at);
    const look = page === 0 ? undefined : lookAtPage(pdfium, page, at + 1);
    if (page !== 0) pdfium._FPDF_ClosePage(page);
    if (look === undefined) return undefined;
    looks.push(look);
  }
  return looks;
};

const IMAGE = Buffer.from('/Image');
const PATTERN = Buffer.from('/PatternType');

/** Pictures in patterns and annotations are not among the objects of a page. What is a stream is named in the file as it is. */
const needsPictures = ({ bytes }: OpenPdf, looks: readonly PageLook[]): boolean =>
  looks.some(({ hasLargePicture }) => hasLargePicture) ||
  (bytes.includes(IMAGE) && (looks.some(({ hasAnnotations }) => hasAnnotations) || bytes.includes(PATTERN)));

const needsAttachments = ({ pdfium, document }: OpenPdf, looks: readonly PageLook[]): boolean =>
  pdfium._FPDFDoc_GetAttachmentCount(document) > 0 || looks.some(({ hasFiles }) => hasFiles);

/** Undefined where PDFium would draw another picture than poppler: it has few fonts, and shows no fields of forms here. */
const drawFirst = ({ pdfium, document }: OpenPdf, [look]: readonly PageLook[], pixels: number): Buffer | undefined => {
  if (look === undefined || look.hasAnnotations) return undefined;
  const page = pdfium._FPDF_LoadPage(document, 0);
  try {
    return hasAllFonts(pdfium, page) ? drawPpm(pdfium, page, look.size, pixels) : undefined;
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
};

type Run = (name: LookProgram, args: readonly string[]) => Promise<string>;

const drawByPoppler = async (run: Run, path: string, { pixels, path: target }: NonNullable<PdfLookRequest['picture']>): Promise<void> => {
  await run('pdftoppm', ['-f', '1', '-l', '1', '-singlefile', '-cropbox', '-scale-to', `${pixels}`, '-q', path, target]);
  await rename(`${target}.ppm`, target);
};

/** Whether the text could be made of what was written of the words. Words outside of what is shown are only in the text. */
const writeTextOf = async (looks: readonly PageLook[], { wordsPath, textPath }: PdfLookRequest): Promise<boolean> => {
  const text = looks.some(({ isCropped }) => isCropped) ? undefined : textOfLayout(await readWords(wordsPath));
  if (text !== undefined) await writeFile(textPath, text);
  return text !== undefined;
};

const readWords = async (path: string): Promise<string> => {
  if ((await stat(path)).size > MAX_WORDS_BYTES) throw new Error('it has very many words');
  return await readFile(path, 'utf8');
};

const hasSamePages = async (wordsPath: string, looks: readonly PageLook[]): Promise<boolean> => {
  const sizes = [...(await readWords(wordsPath)).matchAll(PAGE)].map(([, width, height]) => ({
    width: Number(width),
    height: Number(height),
  }));
  const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_POINTS;
  return (
    sizes.length === looks.length &&
    sizes.every(({ width, height }, at) => {
      const size = looks[at]?.size;
      return size !== undefined && isSame(size.width, width) && isSame(size.height, height);
    })
  );
};
