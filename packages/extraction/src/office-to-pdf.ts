import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import type { ExtractionSettings } from './extraction.ts';
import { OfficeConverter } from './office/office-converter.ts';
import { findOffice } from './office/office-listener.ts';
import { openScratch, type Scratch } from './scratch.ts';

const LIMIT_MS = 120_000;

/** Makes PDFs of office files that are not documents yet, in a sandbox. */
export class OfficeToPdf implements AsyncDisposable {
  readonly #converter: OfficeConverter;
  readonly #scratch: Scratch;

  private constructor(converter: OfficeConverter, scratch: Scratch) {
    this.#converter = converter;
    this.#scratch = scratch;
  }

  /** Undefined where LibreOffice is not installed. */
  static async open(
    settings: Pick<ExtractionSettings, 'scratchPath' | 'readers' | 'limits'>,
    log: Logger,
  ): Promise<OfficeToPdf | undefined> {
    const office = await findOffice();
    if (office === undefined) return undefined;
    await makeFolder(settings.scratchPath);
    const scratch = await openScratch(settings.scratchPath, 'extractor');
    return new OfficeToPdf(new OfficeConverter(office, scratch.path, settings, log), scratch);
  }

  /** The PDF of a file with this extension; its file is gone when the stream is. Throws an error that says why there is none. */
  async convert(bytes: Buffer, extension: string): Promise<Readable> {
    const folder = await openScratch(this.#scratch.path, 'document');
    const drop = (): void => void folder[Symbol.asyncDispose]();
    const input = join(folder.path, `input.${extension}`);
    await writeFile(input, bytes);
    const outcome = await this.#converter
      .convert(input, folder.path, { timeoutMs: LIMIT_MS, signal: AbortSignal.timeout(LIMIT_MS) })
      .catch((error: unknown) => {
        drop();
        throw error;
      });
    if (outcome.ok) return createReadStream(outcome.path).on('close', drop);
    drop();
    throw new Error(`LibreOffice made no PDF of it: ${outcome.reason.replaceAll('_', ' ')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#converter.close();
    await this.#scratch[Symbol.asyncDispose]();
  }
}
