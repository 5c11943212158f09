import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findKindByMimeType } from '@sheaf/contract';
import type { Logger } from '@sheaf/runtime';
import { stripExternalReferences } from './external-references/strip-external-references.ts';
import { type ExtractedPage, type Extraction, type ExtractionFailed, failed, type OpenedDocument } from './extraction.ts';
import { checkOfficeFile } from './office-check.ts';
import type { OfficeConverter } from './office-converter.ts';
import { readSourceParagraphs } from './office-source-text.ts';
import { type PdfToRead, readPdf, readTextLayer } from './read-pdf.ts';
import { inStage } from './stage.ts';
import { findUnseen } from './unseen-text.ts';

export interface OfficeToRead extends Omit<PdfToRead, 'previewPath'> {
  readonly mimeType: string;
  readonly converter: OfficeConverter;
  /** The PDF an earlier try has made. */
  readonly keptPreviewPath: string | undefined;
  readonly log: Logger;
}

/** Opens an office file: LibreOffice makes a PDF of it, which is read like any other, pictures included. */
export const readOffice = async (office: OfficeToRead): Promise<Extraction> => {
  const bytes = await readFile(office.path);
  const obstacle = checkOfficeFile(bytes, office.settings.limits);
  if (obstacle !== undefined) return failed(obstacle);
  const source = readSourceParagraphs(bytes);
  if (source === undefined) return failed('corrupt', 'The file is nested too deeply to be a document');
  const pdf = await toPdf(office);
  if (!pdf.ok) return pdf;
  const opened = await readPdf({ ...office, path: pdf.pdfPath, previewPath: pdf.pdfPath });
  return opened.ok ? withUnseenText(opened, source, office.scratch.path) : opened;
};

interface ConvertedOffice {
  readonly ok: true;
  readonly pdfPath: string;
}

const toPdf = async (office: OfficeToRead): Promise<ConvertedOffice | ExtractionFailed> => {
  if (office.keptPreviewPath !== undefined && (await isFile(office.keptPreviewPath))) return { ok: true, pdfPath: office.keptPreviewPath };
  // Its own name could be anything; the extension helps LibreOffice to choose.
  const inputPath = join(office.scratch.path, `document.${findKindByMimeType(office.mimeType)?.extensions[0] ?? 'bin'}`);
  const timeoutMs = Math.min(office.settings.timeoutMs, office.settings.limits.officeTimeoutMs);
  const obstacle = await copyStripped(office, inputPath, timeoutMs);
  if (obstacle !== undefined) return obstacle;
  const outcome = await inStage(office.onStage, 'convert', {}, () =>
    office.converter.convert(inputPath, office.scratch.path, { timeoutMs, signal: office.signal }, office.isUrgent),
  );
  return outcome.ok ? outcome : failed(outcome.reason === 'timeout' ? 'timeout' : 'corrupt');
};

/** LibreOffice gets a copy without references to other files; the stored file stays as it is. */
const copyStripped = async (
  { path, settings, log, signal }: OfficeToRead,
  inputPath: string,
  timeoutMs: number,
): Promise<ExtractionFailed | undefined> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const outcome = await stripExternalReferences(path, inputPath, settings.limits, AbortSignal.any([signal, timeout]));
    if (outcome.kind === 'stripped') log.info({ references: outcome.counts }, 'external references removed before conversion');
    if (outcome.kind !== 'corrupt') return undefined;
    log.info({ reason: outcome.why }, 'office file refused: its references cannot be checked');
    return failed('corrupt', 'A part of the file cannot be read, so its references to other files cannot be checked');
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return failed('timeout');
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
