import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { ExchangeFolder, runTool } from '@sheaf/sandbox';
import { type ExtractionSettings, officeLimits, type ToolSize } from '../extraction.ts';
import { FairSlots } from '../fair-slots.ts';
import { NODE_MODULES } from '../node-modules.ts';
import type { Limit } from '../pdf/poppler.ts';
import { openScratch, type Scratch } from '../scratch.ts';
import type { ColdConversion } from './office-cold-process.ts';
import {
  findOffice,
  OfficeListener,
  type OfficeOutcome,
  type OfficeProgram,
  type OfficeTarget,
  officeEnvironment,
  RESTART_EXIT_CODE,
  writeOfficeProfile,
} from './office-listener.ts';

/** Who waits longer for the warm office than a cold one takes to start is better off with a cold one. */
const PATIENCE_MS = 3_000;

/** What a conversion is to be. */
export interface ConvertOptions {
  /** A PDF where nothing is said. */
  readonly target?: OfficeTarget;
  /** It does not wait for the warm office. */
  readonly isUrgent?: boolean;
}

export interface ConverterSettings extends Pick<ExtractionSettings, 'readers' | 'limits'> {
  /** How long the warm office stays without a document, a minute where nothing is said. */
  readonly idleMs?: number;
}

/** Office files to PDF, or to a spreadsheet that can be read: by the warm office first; by a cold one when that is busy, or has failed on the document. */
export class OfficeConverter {
  readonly #program: OfficeProgram;
  readonly #listener: OfficeListener;
  readonly #warm = new FairSlots(1);
  readonly #cold: FairSlots;
  /** Kept for urgent documents: the others may all be busy with documents that hang. */
  readonly #urgentCold = new FairSlots(1);
  readonly #size: ToolSize;
  readonly #log: Logger;

  constructor(program: OfficeProgram, folder: string, { readers, limits, idleMs }: ConverterSettings, log: Logger) {
    this.#program = program;
    this.#listener = new OfficeListener(program, join(folder, 'office'), { size: limits, ...(idleMs === undefined ? {} : { idleMs }) });
    this.#size = limits;
    this.#cold = new FairSlots(readers);
    this.#log = log;
  }

  /** Writes what is made of `inputPath` somewhere in `outFolder`. Throws the signal's reason when aborted. */
  async convert(
    inputPath: string,
    outFolder: string,
    limit: Limit,
    { target = 'pdf', isUrgent = false }: ConvertOptions = {},
  ): Promise<OfficeOutcome> {
    const convertCold = (slots: FairSlots): Promise<OfficeOutcome> => this.#convertCold(slots, inputPath, outFolder, target, limit);
    if (isUrgent && this.#warm.isFull) return convertCold(this.#urgentCold);
    const first = await this.#tryWarm(inputPath, outFolder, target, limit);
    if (first !== undefined && (first.ok || first.reason === 'timeout')) return first;
    if (first !== undefined)
      this.#log.info({ reason: first.reason }, 'conversion by the running LibreOffice failed, retrying with a new instance');
    return convertCold(isUrgent ? this.#urgentCold : this.#cold);
  }

  #convertCold(slots: FairSlots, inputPath: string, outFolder: string, target: OfficeTarget, limit: Limit): Promise<OfficeOutcome> {
    return slots.run({}, limit.signal, () => convertCold(this.#program, inputPath, outFolder, target, this.#size, limit));
  }

  async close(): Promise<void> {
    await this.#listener.stop();
  }

  /** Undefined when the warm office stays busy. */
  async #tryWarm(inputPath: string, outFolder: string, target: OfficeTarget, limit: Limit): Promise<OfficeOutcome | undefined> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    let hasBegun = false;
    try {
      return await this.#warm.run({}, AbortSignal.any([limit.signal, patience]), () => {
        hasBegun = true;
        return this.#listener.convert(inputPath, outFolder, target, limit);
      });
    } catch (error) {
      limit.signal.throwIfAborted();
      if (hasBegun) throw error;
      return undefined;
    }
  }
}

const NO_FILE_EXIT_CODE = 65;

const PROGRAM = fileURLToPath(new URL('./office-cold-process.ts', import.meta.url));

/**
 * Converts with libreoffice-convert: an office of its own with a fresh profile. The library starts the office itself and
 * cannot end its family, so it runs in a process of its own, in one sandbox with the office that it starts.
 */
export const convertCold = async (
  program: OfficeProgram,
  inputPath: string,
  outFolder: string,
  target: OfficeTarget,
  size: ToolSize,
  limit: Limit,
): Promise<OfficeOutcome> => {
  await using exchange = await ExchangeFolder.open(join(outFolder, 'cold'));
  const made = exchange.outputPath(`.${target}`);
  const task: ColdConversion = {
    inputPath: await exchange.give(inputPath, extname(inputPath)),
    outPath: made,
    target,
    starterPath: join(exchange.path, 'office'),
    starter: starterOf(program, await writeOfficeProfile(exchange)),
    temporaryPath: exchange.path,
    noFileExitCode: NO_FILE_EXIT_CODE,
  };
  const run = await runTool({
    file: process.execPath,
    args: [PROGRAM, JSON.stringify(task)],
    cwd: exchange.path,
    access: { readOnly: [program.folder, ...NODE_MODULES] },
    timeoutMs: limit.timeoutMs,
    signal: limit.signal,
    env: officeEnvironment(program),
    limits: officeLimits(size),
  });
  limit.signal.throwIfAborted();
  if (run.kind === 'timeout') return { ok: false, reason: 'timeout' };
  const hasEnded = run.kind === 'done' || (run.kind === 'failed' && run.exitCode === NO_FILE_EXIT_CODE);
  if (!hasEnded) return { ok: false, reason: 'died' };
  const path = join(outFolder, `cold.${target}`);
  return run.kind === 'done' && (await exchange.take(made, path)) ? { ok: true, path } : { ok: false, reason: 'no_file' };
};

/**
 * What the library starts in place of the office: the office with our profile, and once more when it has made a new one. The library takes
 * a word on stderr for a failure, where the file tells whether it was made.
 */
const starterOf = ({ main }: OfficeProgram, profileArg: string): string => {
  // The library has a profile of its own in mind; of two the first counts.
  const once = [main, profileArg, '--norestore', '--nologo'].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return `#!/bin/sh\n${once} "$@" 2>/dev/null\ncode=$?\n[ $code -eq ${RESTART_EXIT_CODE} ] || exit $code\nexec ${once} "$@" 2>/dev/null\n`;
};

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
