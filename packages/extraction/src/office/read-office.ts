import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storableText } from '@sheaf/contract/text';
import { openByteSource } from '@sheaf/sandbox/containers';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { SharedParts } from '../document-parts.ts';
import { stripExternalReferences } from '../external-references/strip-external-references.ts';
import { type ExtractedPage, type Extraction, type ExtractionFailed, failed, inStage, type OpenedDocument } from '../extraction.ts';
import { type PdfToRead, readPdf, readTextLayer } from '../pdf/read-pdf.ts';
import { checkOfficeFile } from './office-check.ts';
import type { OfficeTarget } from './office-listener.ts';
import { readSourceParagraphs } from './office-source-text.ts';
import { putOnPages, readSheets, type SheetText } from './read-sheets.ts';

export interface OfficeToRead extends Omit<PdfToRead, 'previewPath'> {
  readonly mimeType: string;
  readonly converter: NonNullable<SharedParts['office']>;
  /** The PDF an earlier try has made. */
  readonly keptPreviewPath: string | undefined;
}

const OPEN_DOCUMENT_SHEET = 'application/vnd.oasis.opendocument.spreadsheet';
const CONVERSION_TIMEOUT = 'Converting the file exceeded the time limit. An administrator can increase OFFICE_TIMEOUT_SECONDS.';
/** Their rendition cuts cells off at the width of their column, so their text is that of the cells. */
const SPREADSHEETS: readonly string[] = [
  OPEN_DOCUMENT_SHEET,
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
];

/** Opens an office file: LibreOffice makes a PDF of it, which is read like any other, pictures included. */
export const readOffice = async (office: OfficeToRead): Promise<Extraction> => {
  const source = await inspect(office);
  if ('reason' in source) return source;
  const pdf = await toPdf(office);
  if (!pdf.ok) return pdf;
  const sheets = SPREADSHEETS.includes(office.mimeType) ? await toSheets(office) : undefined;
  const ownText = sheets && ((rendered: readonly string[]) => putOnPages(sheets, rendered));
  const opened = await readPdf({ ...office, path: pdf.path, previewPath: pdf.path, ownText });
  return opened.ok && sheets === undefined ? withUnseenText(opened, source.paragraphs, office.scratchPath) : opened;
};

/** What speaks against opening the file, or its text as the file itself has it. */
const inspect = async ({
  path,
  settings: { limits },
}: OfficeToRead): Promise<ExtractionFailed | { readonly paragraphs: readonly string[] }> => {
  await using source = await openByteSource(path);
  const obstacle = await checkOfficeFile(source, limits);
  if (obstacle !== undefined) return failed(obstacle);
  const paragraphs = await readSourceParagraphs(source, limits.archiveEntries);
  return paragraphs === undefined ? failed('corrupt', 'The file has too many nested levels') : { paragraphs };
};

interface ConvertedOffice {
  readonly ok: true;
  readonly path: string;
}

const toPdf = async (office: OfficeToRead): Promise<ConvertedOffice | ExtractionFailed> => {
  const { keptPreviewPath } = office;
  return keptPreviewPath !== undefined && (await isFile(keptPreviewPath))
    ? { ok: true, path: keptPreviewPath }
    : convertStripped(office, 'pdf');
};

/** The cells of a spreadsheet; undefined where they cannot be had, which leaves what the rendition shows. */
const toSheets = async (office: OfficeToRead): Promise<SheetText | undefined> => {
  const { path, mimeType, settings, signal } = office;
  const converted = mimeType === OPEN_DOCUMENT_SHEET ? { ok: true as const, path } : await convertStripped(office, 'ods');
  return converted.ok ? readSheets(converted.path, settings.limits, signal) : undefined;
};

const convertStripped = async (office: OfficeToRead, target: OfficeTarget): Promise<ConvertedOffice | ExtractionFailed> => {
  // Its own name could be anything; the extension helps LibreOffice to choose.
  const inputPath = join(office.scratchPath, `to-${target}.${findKindByMimeType(office.mimeType)?.extensions[0] ?? 'bin'}`);
  const timeoutMs = Math.min(office.settings.timeoutMs, office.settings.limits.officeTimeoutMs);
  const stripped = await copyStripped(office, inputPath, timeoutMs);
  if ('reason' in stripped) return stripped;
  const facts = { 'sheaf.external_references': stripped.references };
  const outcome = await inStage(office.onStage, 'convert', facts, () =>
    office.converter.convert(inputPath, office.scratchPath, { timeoutMs, signal: office.signal }, { target, isUrgent: office.isUrgent }),
  );
  if (outcome.ok) return outcome;
  if (outcome.reason === 'timeout') return failed('timeout', CONVERSION_TIMEOUT);
  return failed(outcome.reason === 'died' ? 'reader_died' : 'corrupt');
};

/** LibreOffice gets a copy without references to other files; the stored file stays as it is. */
const copyStripped = async (
  { path, settings, signal }: OfficeToRead,
  inputPath: string,
  timeoutMs: number,
): Promise<ExtractionFailed | { readonly references: number }> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const outcome = await stripExternalReferences(path, inputPath, settings.limits, AbortSignal.any([signal, timeout]));
    if (outcome.kind === 'corrupt')
      return failed('corrupt', 'A part of the file cannot be read, so its external references cannot be checked');
    return { references: outcome.kind === 'stripped' ? Object.values(outcome.counts).reduce((sum, count) => sum + count, 0) : 0 };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return failed('timeout', CONVERSION_TIMEOUT);
    throw error;
  }
};

/** What the file holds and the PDF does not show is given with the last page, so that it is found too. */
const withUnseenText = async (opened: OpenedDocument, source: readonly string[], scratchPath: string): Promise<OpenedDocument> => {
  const rendered = await readTextLayer(scratchPath);
  const unseen = rendered === undefined ? [] : findUnseen(source, rendered);
  return unseen.length === 0 ? opened : { ...opened, pages: appended(opened.pages, opened.pageCount, unseen.join('\n')) };
};

async function* appended(
  batches: AsyncIterable<readonly ExtractedPage[]>,
  page: number,
  text: string,
): AsyncGenerator<readonly ExtractedPage[]> {
  for await (const batch of batches) {
    yield batch.map((one) => (one.page === page ? { ...one, text: one.text === '' ? text : `${one.text}\n\n${text}` } : one));
  }
}

const isFile = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // swept away since
  }
};

const MIN_CHARS = 3;
const MAX_UNSEEN_CHARS = 200_000;
const MAX_UNSEEN = 2_000;
/** Looking for a paragraph in vain, or behind where it is, costs a walk through the text: characters of all walks together. */
const WALKED = { least: 1_000_000_000, timesText: 500 };
const MIB = 1024 * 1024;
const MAX_SQUEEZED_CHARS = 32 * MIB;
const CHUNK_CHARS = 64 * 1024;

/**
 * The paragraphs of `source` that cannot be found in `rendered`: what a rendition cuts off, hides or breaks, such as a cell too
 * narrow for its text, speaker notes, or a word with the mark of a footnote grown to it. White space does not count.
 */
export const findUnseen = (source: readonly string[], rendered: string): readonly string[] => {
  const seen = squeeze(rendered);
  const given = new Set<string>();
  const unseen: string[] = [];
  let chars = 0;
  let from = 0;
  let walksLeft = Math.max(WALKED.least, WALKED.timesText * seen.length);
  for (const paragraph of source) {
    const wanted = squeeze(paragraph);
    if (wanted.length < MIN_CHARS || given.has(wanted)) continue;
    given.add(wanted);
    // Paragraphs mostly come in the order of the rendition, so the next is looked for behind the last.
    if (walksLeft < 0) break;
    const ahead = seen.indexOf(wanted, from);
    walksLeft -= (ahead === -1 ? seen.length : ahead) - from;
    const at = ahead === -1 ? seen.slice(0, from + wanted.length).indexOf(wanted) : ahead;
    if (ahead === -1) walksLeft -= from;
    if (at !== -1) {
      from = at + wanted.length;
      continue;
    }
    chars += paragraph.length;
    if (unseen.length >= MAX_UNSEEN || chars > MAX_UNSEEN_CHARS) break;
    unseen.push(storableText(paragraph));
  }
  return unseen;
};

/** In pieces, as one character can become eighteen, and a string that is too long ends more than its document. */
const squeeze = (text: string): string => {
  let squeezed = '';
  for (let at = 0; at < text.length && squeezed.length < MAX_SQUEEZED_CHARS; at += CHUNK_CHARS)
    squeezed += squeezePiece(text.slice(at, at + CHUNK_CHARS));
  return squeezed;
};

const squeezePiece = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\u00ad\u200b\u2010-]+/g, '');
