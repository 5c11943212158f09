import { FLOAT_BYTES, floatsAt, type Pdfium, withMemory } from './pdfium.ts';

/** What PDFium sees of a page. */
export interface PageLook {
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
export const lookAtPage = (pdfium: Pdfium, page: number, number: number): PageLook | undefined => {
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
export const hasAllFonts = (pdfium: Pdfium, page: number): boolean => {
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
export const drawPpm = (pdfium: Pdfium, page: number, { width, height, turn }: PageLook['size'], pixels: number): Buffer => {
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
