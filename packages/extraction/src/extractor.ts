import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import type { Live, Logger } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { toolLayers } from '@sheaf/sandbox';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { type BarcodeRequest, type FoundBarcodes, findBarcodes } from './barcodes/find-barcodes.ts';
import type { SharedParts } from './document-parts.ts';
import { DocumentThreads } from './document-thread/document-threads.ts';
import {
  type ExtractedPage,
  type Extraction,
  type ExtractionFailed,
  type ExtractionRequest,
  type ExtractionSettings,
  failed,
  type RequestToRead,
} from './extraction.ts';
import { FairSlots } from './fair-slots.ts';
import { PictureMaker } from './images/image-host.ts';
import { LanguageDetector } from './language/language-detector.ts';
import { languagesToRead } from './language/languages-to-read.ts';
import { OcrEngine } from './ocr/ocr-engine.ts';
import { OfficeConverter } from './office/office-converter.ts';
import { findOffice } from './office/office-listener.ts';
import { Poppler } from './pdf/poppler.ts';
import { openScratch, type Scratch, sweepScratch } from './scratch.ts';
import { readText, SMALL_TEXT_BYTES } from './text/read-text.ts';

/** What stays as it is when the extractor is opened; the rest of the settings is read with each document. */
type FixedSettings = Pick<ExtractionSettings, 'scratchPath' | 'readers' | 'runner' | 'oem' | 'dataPath' | 'limits' | 'cloud'>;

interface Parts {
  readonly scratch: Scratch;
  readonly canStartPrograms: boolean;
  readonly hasPoppler: boolean;
  readonly office: OfficeConverter | undefined;
  readonly engine: OcrEngine;
  readonly pictures: PictureMaker;
}

/** Reads documents of every kind into pages of text. One a process: it shares the page readers fairly among all documents. */
export class Extractor implements AsyncDisposable {
  readonly #settings: Live<ExtractionSettings>;
  readonly #log: Logger;
  readonly #slots: FairSlots;
  readonly #parts: Parts;
  readonly #threads: DocumentThreads;
  readonly #languages = new LanguageDetector();

  private constructor(settings: Live<ExtractionSettings>, log: Logger, parts: Parts) {
    this.#settings = settings;
    this.#log = log;
    this.#slots = new FairSlots(settings.current().readers);
    this.#parts = parts;
    this.#threads = new DocumentThreads(settings);
  }

  /** An extractor with parts of its own. Programs that are not installed are no error here: `problems` tells, and documents that need them fail. */
  static async open(settings: Live<ExtractionSettings>, log: Logger): Promise<Extractor> {
    const fixed: FixedSettings = settings.current();
    await makeFolder(fixed.scratchPath);
    await sweepScratch(fixed.scratchPath);
    const scratch = await openScratch(fixed.scratchPath, 'extractor');
    const office = await findOffice();
    const canStartPrograms = await canStartFrom(scratch.path);
    return new Extractor(settings, log, {
      scratch,
      canStartPrograms,
      hasPoppler: canStartPrograms && (await Poppler.isInstalled()),
      office: office && new OfficeConverter(office, scratch.path, fixed, log),
      engine: await OcrEngine.open({ ...fixed, scratchPath: scratch.path }),
      // one beside those of the page readers, for thumbnails
      pictures: new PictureMaker({ scratchPath: scratch.path, limits: fixed.limits, processes: fixed.readers + 1 }),
    });
  }

  installedLanguages(): readonly string[] {
    return this.#parts.engine.languages;
  }

  /** For what else this process does with pictures. */
  get pictures(): PictureMaker {
    return this.#parts.pictures;
  }

  /** What is missing, with the command that installs it. */
  problems(): readonly ServiceProblem[] {
    const { hasPoppler, office, engine, canStartPrograms } = this.#parts;
    const problems: ServiceProblem[] = [];
    if (!canStartPrograms) problems.push(makeProblem('temporary_folder_noexec'));
    else if (!hasPoppler) problems.push(popplerMissing());
    if (office === undefined) {
      const packages = 'libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui';
      problems.push(makeProblem('libreoffice_missing', { packages }));
    }
    if (toolLayers().filesystem === 'none') problems.push(makeProblem(this.#refusesOffice() ? 'sandbox_missing' : 'sandbox_weak'));
    if (engine.languages.length === 0) problems.push(makeProblem('tesseract_missing', { packages: 'tesseract-ocr tesseract-ocr-eng' }));
    return problems;
  }

  /** Opens a document. What is wrong with it is the answer, not an exception; an aborted signal throws its reason. */
  async extract(request: ExtractionRequest): Promise<Extraction> {
    request.signal.throwIfAborted();
    const family = findKindByMimeType(request.mimeType)?.family;
    if (family === undefined) return failed('unsupported');
    const { size } = await stat(request.path);
    if (size === 0) return failed('corrupt', 'The file is empty');
    const settings = this.#settings.current();
    if (family === 'pdf' && size > settings.maxPdfBytes) return failed('too_large');
    if (family === 'office' && size > settings.maxOfficeBytes) return failed('too_large');
    const languages = languagesToRead(request.language, this.installedLanguages(), request.likelyLanguages ?? []);
    const toRead = { ...request, language: languages?.first ?? request.language, otherLanguages: languages?.others ?? [] };
    const needed = family === 'text' || family === 'einvoice' ? undefined : this.#findMissing(family, toRead);
    if (needed !== undefined) return needed;
    // a thread would take longer than the work, in which nothing can crash or hang
    const isSmallText = family === 'text' && size <= SMALL_TEXT_BYTES;
    const opened = isSmallText ? await readText(toRead, settings.maxPages) : await this.#openInThread(toRead, settings);
    return opened.ok
      ? { ...opened, pages: this.#withLanguages(opened.pages, request.signal), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
      : opened;
  }

  async #openInThread(toRead: RequestToRead, settings: ExtractionSettings): Promise<Extraction> {
    const scratch = await openScratch(settings.scratchPath, 'document', toRead.label);
    return await this.#threads.open(toRead, scratch, this.#sharedParts(toRead));
  }

  /** The barcodes on the pages of a document. What goes wrong is the answer; an aborted signal throws its reason. */
  async findBarcodes(request: BarcodeRequest & Pick<ExtractionRequest, 'label'>): Promise<FoundBarcodes> {
    request.signal.throwIfAborted();
    const settings = this.#settings.current();
    await using scratch = await openScratch(settings.scratchPath, 'document', request.label);
    return await findBarcodes(request, { images: this.#parts.pictures, settings, scratchPath: scratch.path });
  }

  /** Call it when no extraction is under way any more. */
  async close(): Promise<void> {
    const { office, engine, pictures, scratch } = this.#parts;
    await this.#threads.close();
    await Promise.all([office?.close(), engine.close(), pictures.stop(), this.#languages.close()]);
    await scratch[Symbol.asyncDispose]();
    this.#log.debug('extractor closed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #findMissing(family: 'pdf' | 'image' | 'office', { ocr, language }: ExtractionRequest): ExtractionFailed | undefined {
    const { hasPoppler, office, engine } = this.#parts;
    if (family !== 'image' && !hasPoppler) return failed('tool_missing', popplerMissing().message);
    if (family === 'office' && office === undefined) return failed('tool_missing', 'LibreOffice is not installed');
    if (family === 'office' && this.#refusesOffice()) return failed('tool_missing', makeProblem('sandbox_missing').message);
    return family === 'image' && ocr && engine.runnerFor(language) === undefined ? this.#languageMissing(language) : undefined;
  }

  /** Office files can name other files and addresses, so they are the ones that need a sandbox most. */
  #refusesOffice(): boolean {
    return this.#settings.current().sandbox === 'require' && toolLayers().filesystem === 'none';
  }

  #sharedParts(request: RequestToRead): SharedParts {
    const { pictures, office, engine } = this.#parts;
    const runner = request.ocr
      ? (engine.runnerFor(request.language, request.otherLanguages) ?? this.#languageMissing(request.language))
      : undefined;
    const slots: SharedParts['slots'] = {
      size: this.#slots.size,
      run: (owner, signal, task) => {
        request.onRecognise?.();
        return this.#slots.run(owner, signal, task);
      },
    };
    return { slots, images: pictures, office, runner, detectLanguage: (text, signal) => this.#languages.detect(text, signal) };
  }

  #languageMissing(language: string): ExtractionFailed {
    const installed = this.installedLanguages().join(', ') || 'none';
    return failed('language_missing', `The OCR language ${language} is not installed. Installed: ${installed}`);
  }

  async *#withLanguages(batches: AsyncIterable<readonly ExtractedPage[]>, signal: AbortSignal): AsyncGenerator<readonly ExtractedPage[]> {
    for await (const batch of batches) {
      const languages = await this.#languages.detectAll(
        batch.map(({ text }) => text),
        signal,
      );
      yield batch.map((page, at) => ({ ...page, language: languages[at] }));
    }
  }
}

const popplerMissing = (): ServiceProblem => makeProblem('poppler_missing', { packages: 'poppler-utils' });

/** What starts LibreOffice lies in the scratch folder, which may be on a mount where nothing can be started. */
const canStartFrom = async (folder: string): Promise<boolean> => {
  const file = join(folder, 'trial');
  await writeFile(file, '#!/bin/sh\n', { mode: 0o700 });
  try {
    const trial = spawn(file, { stdio: 'ignore', timeout: 10_000 });
    const [exitCode] = await once(trial, 'close');
    return exitCode === 0;
  } catch (error) {
    // "text file busy" is said of a file that may be started: a program that is just being started had it open
    return (error as NodeJS.ErrnoException).code === 'ETXTBSY';
  }
};
