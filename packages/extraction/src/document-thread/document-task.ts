import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { DocumentRequest, DocumentSettings, SharedParts } from '../document-parts.ts';
import { type Extraction, failed, type OpenedDocument, UnreadableDocument } from '../extraction.ts';
import { LanguageChoice } from '../language/languages-to-read.ts';
import type { OcrTask } from '../ocr/ocr-runner.ts';
import type { Recognition } from '../ocr/recognise-pages.ts';
import type { PdfToRead } from '../pdf/read-pdf.ts';
import { type DocumentTask, MainLink, type SharedAnswers, type SharedCall } from './main-link.ts';

/**
 * Opens a document of any kind, in the thread that is its own. The programs that only this document needs are started from here,
 * and end with the thread; the shared ones are asked. Its files go to `scratchPath`, which is the caller's to remove. Readers are loaded as they
 * are needed: all of them take a new thread 0.3 s, and a text needs a tenth of it.
 */
export const openDocument = async (
  request: DocumentRequest,
  settings: DocumentSettings,
  scratchPath: string,
  shared: SharedParts,
): Promise<Extraction> => {
  const family = findKindByMimeType(request.mimeType)?.family;
  if (family === undefined) return failed('unsupported');
  if (family === 'text') return (await import('../text/read-text.ts')).readText(request, settings.maxPages);
  if (family === 'einvoice') return (await import('../einvoice/read-einvoice-document.ts')).readEinvoiceDocument(request);
  const recognition = recognitionOf(request, settings, scratchPath, shared);
  if (family === 'image')
    return (await import('../images/read-image.ts')).readImage(shared.images, recognition, { ...request, settings, scratchPath });
  const pdf: PdfToRead = {
    ...request,
    isUrgent: request.isUrgent === true,
    settings,
    scratchPath,
    images: shared.images,
    recognition,
    previewPath: undefined,
  };
  if (family === 'pdf') return (await import('../pdf/read-pdf.ts')).readPdf(pdf);
  if (shared.office === undefined) return failed('tool_missing');
  return (await import('../office/read-office.ts')).readOffice({
    ...pdf,
    mimeType: request.mimeType,
    converter: shared.office,
    keptPreviewPath: request.previewPath,
  });
};

const recognitionOf = (
  request: DocumentRequest,
  settings: DocumentSettings,
  scratchPath: string,
  { slots, runner, detectLanguage }: SharedParts,
): Recognition | undefined => {
  if (runner === undefined) return undefined;
  const languages = new LanguageChoice(request.language, request.otherLanguages, (text) => detectLanguage(text, request.signal));
  return { settings, slots, runner, request, scratchPath, languages };
};

/** A document in a thread of its own, from its opening until its last page is handed over or it is no longer wanted. */
export default async (task: DocumentTask): Promise<void> => {
  using link = new MainLink(task.port);
  link.send({ kind: 'alive' });
  const request = { ...task.request, signal: link.stopped, onStage: link.beginStage };
  const extraction = await openDocument(request, task.settings, task.scratchPath, sharedByLink(link, task));
  if (!extraction.ok) return link.send({ kind: 'failed', failure: extraction });
  await using opened = extraction;
  const { pageCount, previewPath, picturePath, einvoice } = opened;
  link.send({ kind: 'opened', pageCount, previewPath, picturePath, einvoice });
  await handOver(opened, link);
};

const handOver = async ({ pages }: OpenedDocument, link: MainLink): Promise<void> => {
  const batches = pages[Symbol.asyncIterator]();
  try {
    while (await link.isNextWanted()) {
      const batch = await batches.next();
      if (batch.done === true) return link.send({ kind: 'end' });
      link.send({ kind: 'pages', pages: batch.value });
    }
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    link.send({ kind: 'failed', failure: error.failure });
  } finally {
    await batches.return?.();
  }
};

const plain = ({ imagePath, language, dpi, psm, timeoutMs }: OcrTask) => ({ imagePath, language, dpi, psm, timeoutMs });

/** What documents share, as a thread has it: everything is asked of the main thread. */
const sharedByLink = (link: MainLink, { slots, hasOffice, runner }: DocumentTask): SharedParts => {
  const ask = async <C extends SharedCall>(call: C, signal: AbortSignal): Promise<SharedAnswers[C['of']]> =>
    (await link.call(call, signal)).value;
  return {
    slots: { size: slots, run: (_, signal, task) => inSlot(link, signal, task) },
    detectLanguage: (text, signal) => ask({ of: 'detect_language', text }, signal),
    images: { ask: (request, { timeoutMs, signal }) => ask({ of: 'image', request, timeoutMs }, signal) },
    office: hasOffice
      ? {
          convert: (inputPath, outFolder, { timeoutMs, signal }, options) =>
            ask({ of: 'convert', inputPath, outFolder, timeoutMs, options }, signal),
        }
      : undefined,
    runner:
      runner === undefined || 'reason' in runner
        ? runner
        : {
            canRunOcrAgain: runner.canRunOcrAgain,
            read: (task) => ask({ of: 'read', task: plain(task) }, task.signal),
            findTurn: (task) => ask({ of: 'find_turn', task: plain(task) }, task.signal),
          },
  };
};

const inSlot = async <T>(link: MainLink, signal: AbortSignal, task: () => Promise<T>): Promise<T> => {
  const { id } = await link.call({ of: 'slot' }, signal);
  try {
    return await task();
  } finally {
    link.send({ kind: 'release', id });
  }
};
