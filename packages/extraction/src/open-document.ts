import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { DocumentRequest, DocumentSettings, SharedParts } from './document-parts.ts';
import { type Extraction, failed } from './extraction.ts';
import { LanguageChoice } from './language/language-choice.ts';
import type { Recognition } from './ocr/recognise-pages.ts';
import type { PdfToRead } from './pdf/read-pdf.ts';

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
  if (family === 'text') return (await import('./text/read-text.ts')).readText(request, settings.maxPages);
  if (family === 'einvoice') return (await import('./einvoice/read-einvoice-document.ts')).readEinvoiceDocument(request);
  const recognition = recognitionOf(request, settings, scratchPath, shared);
  if (family === 'image')
    return (await import('./images/read-image.ts')).readImage(shared.images, recognition, { ...request, settings, scratchPath });
  const pdf: PdfToRead = {
    ...request,
    isUrgent: request.isUrgent === true,
    settings,
    scratchPath,
    images: shared.images,
    recognition,
    previewPath: undefined,
  };
  if (family === 'pdf') return (await import('./pdf/read-pdf.ts')).readPdf(pdf);
  if (shared.office === undefined) return failed('tool_missing');
  return (await import('./office/read-office.ts')).readOffice({
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
