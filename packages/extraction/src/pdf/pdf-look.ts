import { execFile } from 'node:child_process';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ImageAnswer, LookProgram, PdfLookRequest } from '../images/image-messages.ts';
import { dropPdfium, FLOAT_BYTES, floatsAt, type Pdfium, startPdfium, withMemory } from './pdfium.ts';
import { textOfLayout } from './text-of-layout.ts';

const execute = promisify(execFile);
const PART_MS = 10_000;
const MAX_PRINTED_BYTES = 8 * 1024 ** 2;
const MAX_WORDS_BYTES = 32 * 1024 ** 2;
const SAME_POINTS = 1;
const PAGE = /<page width="([\d.]+)" height="([\d.]+)">/g;

const unusual = (message: string): ImageAnswer => ({ ok: false, reason: 'corrupt', message });

/**
 * Finds out what is needed of every PDF. PDFium, which is loaded, tells what the file is made of and draws the first page; of the programs
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

/** What PDFium sees of a page. */
interface PageLook {
  /** As pdfinfo prints it with `-box`. */
  readonly size: { readonly width: number; readonly height: number; readonly turn: number };
  readonly lines: string;
  /** A picture is so large that it could show text. */
  readonly hasLargePicture: boolean;
  /** Less is shown of it than there is. */
  readonly isCropped: boolean;
  /** Something lies on the page that is no link. */
  readonly hasAnnotations: boolean;
  readonly hasFiles: boolean;
}

const TEXT_OBJECT = 1;
const IMAGE_OBJECT = 3;
const FORM_OBJECT = 5;
const LINK = 2;
const FILE_ATTACHMENT = 17;
const MAX_OBJECTS = 20_000;
const MAX_DEPTH = 8;
const POINTS_PER_INCH = 72;
/** A little less than what is looked at, as boxes around what is turned are larger, and rounding may be other. */
const LARGE = { squareInches: 0.8, inches: 0.25 };
const QUARTER = 90;

/** Undefined where the page is not whole. */
const lookAtPage = (pdfium: Pdfium, page: number, number: number): PageLook | undefined => {
  const box = withMemory(pdfium, 4 * FLOAT_BYTES, (pointer) =>
    pdfium._FPDF_GetPageBoundingBox(page, pointer) === 0 ? undefined : floatsAt(pdfium, pointer, 4),
  );
  if (box === undefined) return undefined;
  const [left = 0, top = 0, right = 0, bottom = 0] = box;
  const [width, height, turn] = [right - left, top - bottom, pdfium._FPDFPage_GetRotation(page) * QUARTER];
  if (!(width > 0 && height > 0 && Number.isFinite(width * height))) return undefined;
  const printed = [left, bottom, right, top].map((side) => side.toFixed(2)).join(' ');
  const lines = `Page ${number} size: ${width} x ${height} pts\nPage ${number} rot: ${turn}\nPage ${number} CropBox: ${printed}\n`;
  const subtypes = annotationsOn(pdfium, page);
  return {
    size: { width, height, turn },
    lines,
    hasLargePicture: hasLargePicture(pdfium, page),
    isCropped: isCropped(pdfium, page),
    hasAnnotations: subtypes.some((subtype) => subtype !== LINK),
    hasFiles: subtypes.includes(FILE_ATTACHMENT),
  };
};

const isCropped = (pdfium: Pdfium, page: number): boolean =>
  withMemory(pdfium, 4 * FLOAT_BYTES, (pointer) => {
    const [a, b, c, d] = sidesAt(pointer);
    if (pdfium._FPDFPage_GetCropBox(page, a, b, c, d) === 0) return false;
    const crop = floatsAt(pdfium, pointer, 4);
    if (pdfium._FPDFPage_GetMediaBox(page, a, b, c, d) === 0) return true;
    return floatsAt(pdfium, pointer, 4).some((side, at) => Math.abs(side - (crop[at] ?? 0)) > 1);
  });

const sidesAt = (pointer: number): [number, number, number, number] => [
  pointer,
  pointer + FLOAT_BYTES,
  pointer + 2 * FLOAT_BYTES,
  pointer + 3 * FLOAT_BYTES,
];

const annotationsOn = (pdfium: Pdfium, page: number): readonly number[] => {
  const subtypes: number[] = [];
  const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), MAX_OBJECTS);
  for (let at = 0; at < count; at += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, at);
    if (annotation === 0) continue;
    subtypes.push(pdfium._FPDFAnnot_GetSubtype(annotation));
    pdfium._FPDFPage_CloseAnnot(annotation);
  }
  return subtypes;
};

/** Of a page with more objects than anybody draws it is said that it has one. */
const hasLargePicture = (pdfium: Pdfium, page: number): boolean => {
  const count = pdfium._FPDFPage_CountObjects(page);
  if (count > MAX_OBJECTS) return true;
  for (let at = 0; at < count; at += 1) {
    const object = pdfium._FPDFPage_GetObject(page, at);
    const isShown = objectsIn(pdfium, object).some((one) => one === undefined || pdfium._FPDFPageObj_GetType(one) === IMAGE_OBJECT);
    if (isShown && isLarge(pdfium, object)) return true;
  }
  return false;
};

const isLarge = (pdfium: Pdfium, object: number): boolean =>
  withMemory(pdfium, 4 * FLOAT_BYTES, (pointer) => {
    const [a, b, c, d] = sidesAt(pointer);
    if (pdfium._FPDFPageObj_GetBounds(object, a, b, c, d) === 0) return true;
    const [left = 0, bottom = 0, right = 0, top = 0] = floatsAt(pdfium, pointer, 4);
    const [wide, high] = [(right - left) / POINTS_PER_INCH, (top - bottom) / POINTS_PER_INCH];
    return wide * high >= LARGE.squareInches && Math.min(wide, high) >= LARGE.inches;
  });

/** The object, or what a form shows; undefined stands for what is too much to be looked at. */
const objectsIn = (pdfium: Pdfium, object: number, depth = 0): readonly (number | undefined)[] => {
  if (pdfium._FPDFPageObj_GetType(object) !== FORM_OBJECT) return [object];
  const count = pdfium._FPDFFormObj_CountObjects(object);
  if (depth >= MAX_DEPTH || count > MAX_OBJECTS) return [undefined];
  return Array.from({ length: Math.max(0, count) }, (_, at) => pdfium._FPDFFormObj_GetObject(object, at)).flatMap((one) =>
    objectsIn(pdfium, one, depth + 1),
  );
};

/** Fonts that PDFium brings along, in their usual names. It has no others, so that pages in them would be drawn in the wrong letters. */
const OWN_FONT =
  /^(?:[A-Z]{6}\+)?(?:Helvetica|Arial|Times|TimesNewRoman|Courier|CourierNew)(?:PS)?(?:MT)?(?:[-,](?:Roman|Regular|Bold|Italic|Oblique|BoldItalic|BoldOblique)(?:MT)?)?$/;
/** What stands in them: Latin, and the signs of Windows. */
const LATIN = /^[\p{Cc}\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/u;
const MAX_CHARS = 50_000;

/** Whether PDFium draws the letters of a page as they are: they are in the file, or are those that it has itself. */
const hasAllFonts = (pdfium: Pdfium, page: number): boolean => {
  const fonts = new Set<number>();
  const count = pdfium._FPDFPage_CountObjects(page);
  if (count > MAX_OBJECTS) return false;
  for (let at = 0; at < count; at += 1)
    for (const object of objectsIn(pdfium, pdfium._FPDFPage_GetObject(page, at))) {
      if (object === undefined) return false;
      if (pdfium._FPDFPageObj_GetType(object) === TEXT_OBJECT) fonts.add(pdfium._FPDFTextObj_GetFont(object));
    }
  const others = [...fonts].filter((font) => pdfium._FPDFFont_GetIsEmbedded(font) !== 1);
  return others.every((font) => OWN_FONT.test(nameOf(pdfium, font))) && (others.length === 0 || LATIN.test(textOf(pdfium, page)));
};

const NAME_BYTES = 128;

const nameOf = (pdfium: Pdfium, font: number): string =>
  withMemory(pdfium, NAME_BYTES, (pointer) => {
    const size = pdfium._FPDFFont_GetBaseFontName(font, pointer, NAME_BYTES);
    return size < 1 || size > NAME_BYTES ? '' : Buffer.from(pdfium.HEAPU8.subarray(pointer, pointer + size - 1)).toString('latin1');
  });

const textOf = (pdfium: Pdfium, page: number): string => {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return '\ufffd';
  const count = Math.min(pdfium._FPDFText_CountChars(text), MAX_CHARS);
  const codes = Array.from({ length: Math.max(0, count) }, (_, at) => pdfium._FPDFText_GetUnicode(text, at));
  pdfium._FPDFText_ClosePage(text);
  return codes.map((code) => (code <= 0xff_ff ? String.fromCharCode(code) : '\ufffd')).join('');
};

const ROUNDING = 0.001;
const BGR = 2;
const WHITE = 0xff_ff_ff_ff;
/** Annotations too; red before blue. */
const FLAGS = 0x01 | 0x10;

/** The page as a PPM, its longer side so many pixels long. */
const drawPpm = (pdfium: Pdfium, page: number, { width, height, turn }: PageLook['size'], pixels: number): Buffer => {
  const [across, down] = turn % (2 * QUARTER) === 0 ? [width, height] : [height, width];
  const scale = pixels / Math.max(across, down);
  const [wide, high] = [Math.max(1, Math.ceil(across * scale - ROUNDING)), Math.max(1, Math.ceil(down * scale - ROUNDING))];
  const stride = wide * 3;
  return withMemory(pdfium, stride * high, (pointer) => {
    const bitmap = pdfium._FPDFBitmap_CreateEx(wide, high, BGR, pointer, stride);
    if (bitmap === 0) throw new Error('PDFium makes no picture');
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, wide, high, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, wide, high, 0, FLAGS);
    pdfium._FPDFBitmap_Destroy(bitmap);
    return Buffer.concat([Buffer.from(`P6\n${wide} ${high}\n255\n`), pdfium.HEAPU8.subarray(pointer, pointer + stride * high)]);
  });
};
