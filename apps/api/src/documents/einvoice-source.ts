import { mkdtempDisposable } from 'node:fs/promises';
import { join } from 'node:path';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import type { LabelledDocument } from '@sheaf/documents';
import type { EinvoiceFile, EinvoiceFiles, EinvoiceQuestion } from '@sheaf/extraction/einvoice';
import { einvoiceUnreadable } from '@sheaf/filing/facts';
import { makeFolder } from '@sheaf/process/machine';
import { documentKey, type Storage } from '@sheaf/storage';

export const attachmentNotFound = (documentId: string, number: number): AppError =>
  codedError('NOT_FOUND', 'ATTACHMENT_NOT_FOUND', { document_id: documentId, number });

/** What the routes of e-invoices use. */
export interface EinvoiceServices {
  readonly database: Database;
  readonly einvoices: EinvoiceSource;
}

interface Parts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly storage: Storage;
  readonly files: EinvoiceFiles;
}

/** What people see of an e-invoice, made of the stored document. */
export class EinvoiceSource {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws EINVOICE_UNREADABLE, ATTACHMENT_NOT_FOUND and what the storage throws. */
  async make({ id, sha256, mimeType }: LabelledDocument, question: EinvoiceQuestion, signal: AbortSignal): Promise<EinvoiceFile> {
    const { config, storage, files } = this.#parts;
    await makeFolder(config.storage.tempPath);
    await using scratch = await mkdtempDisposable(join(config.storage.tempPath, 'einvoice-'));
    const path = await storage.localPath(documentKey(sha256), scratch.path);
    const answer = await files.make({ path, mimeType, scratchPath: scratch.path, limits: config.ocr.limits, signal }, question);
    if (answer.ok) return answer.file;
    if (question.want === 'attachment' && answer.problem === 'not_there') throw attachmentNotFound(id, question.number);
    throw einvoiceUnreadable(id, answer.problem);
  }
}
