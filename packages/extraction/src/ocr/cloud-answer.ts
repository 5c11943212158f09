import type { Box, PageWord } from '@sheaf/vocabulary/page-words';
import { z } from 'zod';
import { type OcrLine, type OcrReading, toReading } from './ocr-runner.ts';

/** The part of the wire format (api-version 2024-11-30) that is read; offsets are UTF-16 code units, as we ask for them. */
const span = z.object({ offset: z.int().min(0) });
/** The corners of a word, clockwise from the top left, in the unit of the page. */
const polygon = z.array(z.number()).min(8).optional().catch(undefined);
const word = z.object({ content: z.string(), span, confidence: z.number().catch(0), polygon });
const line = z.object({ content: z.string(), spans: z.array(span) });
const side = z.number().positive().default(1).catch(1);
const page = z.object({ width: side, height: side, words: z.array(word).default([]), lines: z.array(line).default([]) });
const analyzeResult = z.object({ pages: z.array(page), paragraphs: z.array(z.object({ spans: z.array(span) })).default([]) });

const serviceError = z.object({
  code: z.string().default(''),
  message: z.string().default(''),
  innererror: z.object({ code: z.string().default(''), message: z.string().default('') }).optional(),
  details: z.array(z.object({ code: z.string().default('') })).default([]),
});
const errorBody = z.object({ error: serviceError });

export const operation = z.object({ status: z.string(), error: serviceError.optional(), analyzeResult: analyzeResult.optional() });
export type Operation = z.output<typeof operation>;

export interface ServiceError {
  /** Its own code and those of what it was caused by. */
  readonly codes: readonly string[];
  readonly message: string;
}

const NO_ERROR: ServiceError = { codes: [], message: '' };

export const toServiceError = (error: z.output<typeof serviceError> | undefined): ServiceError =>
  error === undefined
    ? NO_ERROR
    : {
        codes: [error.code, error.innererror?.code ?? '', ...error.details.map((detail) => detail.code)].filter((code) => code !== ''),
        message: (error.innererror?.message || error.message).slice(0, 300),
      };

/** What the body of an error answer says; gateways in between answer in formats of their own. */
export const parseServiceError = (text: string): ServiceError => {
  const parsed = errorBody.safeParse(parseJson(text));
  return parsed.success ? toServiceError(parsed.data.error) : NO_ERROR;
};

/** Undefined where the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Which piece an offset lies in, for offsets that grow: the last one that begins at or before it. */
const finder = (pieces: readonly { readonly spans: readonly { readonly offset: number }[] }[]) => {
  const starts = pieces.flatMap(({ spans }, index) => spans.map(({ offset }) => ({ offset, index }))).sort((a, b) => a.offset - b.offset);
  let at = -1;
  return (offset: number): number => {
    while ((starts[at + 1]?.offset ?? Number.POSITIVE_INFINITY) <= offset) at += 1;
    return starts[at]?.index ?? 0;
  };
};

type PageSize = Pick<z.output<typeof page>, 'width' | 'height'>;

const toPageWord = ({ content, confidence, polygon: corners = [] }: z.output<typeof word>, { width, height }: PageSize): PageWord => ({
  text: content,
  confidence: Math.min(1, Math.max(0, confidence)),
  box: around(
    corners.filter((_, at) => at % 2 === 0).map((x) => x / width),
    corners.filter((_, at) => at % 2 === 1).map((y) => y / height),
  ),
});

const around = (xs: readonly number[], ys: readonly number[]): Box => {
  if (xs.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

interface Line extends OcrLine {
  readonly content: string;
}

const linesOf = ({ words, lines, ...size }: z.output<typeof page>, paragraphAt: (offset: number) => number): readonly Line[] => {
  if (lines.length === 0) {
    const all = words.map((each) => toPageWord(each, size));
    return all.length === 0 ? [] : [{ paragraph: '', content: all.map(({ text }) => text).join(' '), words: all }];
  }
  const groups = lines.map((): PageWord[] => []);
  const lineAt = finder(lines);
  for (const each of words.toSorted((a, b) => a.span.offset - b.span.offset))
    groups[lineAt(each.span.offset)]?.push(toPageWord(each, size));
  return lines.map(({ content, spans }, index) => ({
    content,
    paragraph: `${paragraphAt(spans[0]?.offset ?? 0)}`,
    words: groups[index] ?? [],
  }));
};

/** The text is that of the lines, because only they know which words stand without a space between them. */
export const toCloudReading = ({ pages, paragraphs }: z.output<typeof analyzeResult>): OcrReading => {
  const paragraphAt = finder(paragraphs);
  const lines = pages.flatMap((each) => linesOf(each, paragraphAt));
  let text = '';
  for (const [index, { content, paragraph }] of lines.entries()) {
    if (index > 0) text += lines[index - 1]?.paragraph === paragraph ? '\n' : '\n\n';
    text += content;
  }
  return { ...toReading(lines), text };
};
