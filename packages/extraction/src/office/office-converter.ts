import { join } from 'node:path';
import type { Logger } from '@sheaf/process';
import type { ExtractionSettings } from '../extraction.ts';
import { FairSlots } from '../fair-slots.ts';
import type { ToolSize } from '../limits.ts';
import type { Limit } from '../pdf/poppler.ts';
import { convertCold } from './office-cold-start.ts';
import { OfficeListener, type OfficeOutcome } from './office-listener.ts';
import type { OfficeProgram } from './office-program.ts';

/** Who waits longer for the warm office than a cold one takes to start is better off with a cold one. */
const PATIENCE_MS = 3_000;

/** Office files to PDF: by the warm office first; by a cold one when that is busy, or has failed on the document. */
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

  /** Writes a PDF of `inputPath` somewhere in `outFolder`; an urgent one does not wait for the warm office. Throws the signal's reason when aborted. */
  async convert(inputPath: string, outFolder: string, limit: Limit, isUrgent = false): Promise<OfficeOutcome> {
    if (isUrgent && this.#warm.isFull) return this.#convertCold(this.#urgentCold, inputPath, outFolder, limit);
    const first = await this.#tryWarm(inputPath, outFolder, limit);
    if (first !== undefined && (first.ok || first.reason === 'timeout')) return first;
    if (first !== undefined)
      this.#log.info({ reason: first.reason }, 'conversion by the running LibreOffice failed, retrying with a new instance');
    return this.#convertCold(isUrgent ? this.#urgentCold : this.#cold, inputPath, outFolder, limit);
  }

  #convertCold(slots: FairSlots, inputPath: string, outFolder: string, limit: Limit): Promise<OfficeOutcome> {
    return slots.run({}, limit.signal, () => convertCold(this.#program, inputPath, outFolder, this.#size, limit));
  }

  async close(): Promise<void> {
    await this.#listener.stop();
  }

  /** Undefined when the warm office stays busy. */
  async #tryWarm(inputPath: string, outFolder: string, limit: Limit): Promise<OfficeOutcome | undefined> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    let hasBegun = false;
    try {
      return await this.#warm.run({}, AbortSignal.any([limit.signal, patience]), () => {
        hasBegun = true;
        return this.#listener.convert(inputPath, outFolder, limit);
      });
    } catch (error) {
      limit.signal.throwIfAborted();
      if (hasBegun) throw error;
      return undefined;
    }
  }
}
