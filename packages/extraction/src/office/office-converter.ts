import { join } from 'node:path';
import type { Logger } from '@sheaf/process';
import type { ExtractionSettings } from '../extraction.ts';
import { FairSlots } from '../fair-slots.ts';
import type { ToolSize } from '../limits.ts';
import type { Limit } from '../pdf/poppler.ts';
import { convertCold } from './office-cold-start.ts';
import { OfficeListener, type OfficeOutcome, type OfficeTarget } from './office-listener.ts';
import type { OfficeProgram } from './office-program.ts';

/** Who waits longer for the warm office than a cold one takes to start is better off with a cold one. */
const PATIENCE_MS = 3_000;

/** What a conversion is to be. */
export interface ConvertOptions {
  /** A PDF where nothing is said. */
  readonly target?: OfficeTarget;
  /** It does not wait for the warm office. */
  readonly isUrgent?: boolean;
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

  constructor(program: OfficeProgram, folder: string, { readers, limits }: Pick<ExtractionSettings, 'readers' | 'limits'>, log: Logger) {
    this.#program = program;
    this.#listener = new OfficeListener(program, join(folder, 'office'), limits);
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
