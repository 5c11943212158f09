import type { PdfObject } from './qpdf.ts';

/** In points, from the lower left corner of the page's own space. */
export interface PageBox {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** a b c d e f of a matrix as `cm` takes it (ISO 32000-1, 8.3.4). */
type Matrix = readonly [number, number, number, number, number, number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const MAX_OPERANDS = 6;
const MAX_TOKENS = 500;

/**
 * Where the only picture of a page stands, upright, if showing it is all that the page does; undefined for every other page.
 * `content` are the instructions of the page: what is not known to leave no mark speaks against it.
 */
export const lonePicture = (content: string, pictureName: string): PageBox | undefined => {
  // PDF's white space is more and less than that of a regular expression
  const tokens = content.split(/[\0\t\n\f\r ]/, MAX_TOKENS + 1).filter((token) => token !== '');
  if (tokens.length > MAX_TOKENS) return undefined;
  let matrix: Matrix = IDENTITY;
  const kept: Matrix[] = [];
  let operands: string[] = [];
  let shown: Matrix | undefined;
  for (const token of tokens) {
    if (isOperand(token)) {
      operands.push(token);
      if (operands.length > MAX_OPERANDS) return undefined;
      continue;
    }
    switch (token) {
      case 'q':
        kept.push(matrix);
        break;
      case 'Q':
        matrix = kept.pop() ?? IDENTITY;
        break;
      case 'cm': {
        const change = toMatrix(operands);
        if (change === undefined) return undefined;
        matrix = combined(change, matrix);
        break;
      }
      case 'Do':
        if (shown !== undefined || operands.length !== 1 || operands[0] !== pictureName) return undefined;
        shown = matrix;
        break;
      default:
        return undefined;
    }
    operands = [];
  }
  return shown && operands.length === 0 ? uprightBox(shown) : undefined;
};

const isOperand = (token: string): boolean => token.startsWith('/') || /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(token);

const toMatrix = (operands: readonly string[]): Matrix | undefined => {
  const [a, b, c, d, e, f, ...more] = operands.map(Number);
  const isWhole = [a, b, c, d, e, f].every((value) => value !== undefined && Number.isFinite(value)) && more.length === 0;
  return isWhole ? [a ?? 0, b ?? 0, c ?? 0, d ?? 0, e ?? 0, f ?? 0] : undefined;
};

const combined = ([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix => [
  a * A + b * C,
  a * B + b * D,
  c * A + d * C,
  c * B + d * D,
  e * A + f * C + E,
  e * B + f * D + F,
];

const SLANT = 1e-4;

/** The unit square that a picture fills, where it is neither turned nor mirrored. */
const uprightBox = ([a, b, c, d, e, f]: Matrix): PageBox | undefined =>
  a > 0 && d > 0 && Math.abs(b) < SLANT && Math.abs(c) < SLANT ? { left: e, bottom: f, right: e + a, top: f + d } : undefined;

/** Whether a page shows nothing beside its instructions, and in the usual unit. */
export const isPlainPage = ({ dictionary }: PdfObject): boolean => isEmpty(dictionary['/Annots']) && dictionary['/UserUnit'] === undefined;

const isEmpty = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** What changes how the picture in a stream looks on the page. */
const CHANGES = ['/Decode', '/DecodeParms', '/SMask', '/Mask', '/ImageMask', '/OC', '/F', '/SMaskInData'] as const;

/** Whether the bytes of a picture are a JPEG, and look like it. */
export const isPlainJpeg = ({ dictionary }: PdfObject): boolean =>
  dictionary['/Subtype'] === '/Image' &&
  isFilter(dictionary['/Filter'], '/DCTDecode') &&
  CHANGES.every((key) => isEmpty(dictionary[key]) || dictionary[key] === false);

/** How the instructions of a page are packed; undefined where that is not known here. */
export const packingOf = ({ dictionary }: PdfObject): 'none' | 'deflate' | undefined => {
  if (!isEmpty(dictionary['/DecodeParms']) || !isEmpty(dictionary['/F'])) return undefined;
  if (isEmpty(dictionary['/Filter'])) return 'none';
  return isFilter(dictionary['/Filter'], '/FlateDecode') ? 'deflate' : undefined;
};

const isFilter = (value: unknown, name: string): boolean =>
  value === name || (Array.isArray(value) && value.length === 1 && value[0] === name);
