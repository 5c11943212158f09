import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ExchangeFolder, runTool, type ToolOutcome } from '@sheaf/sandbox';
import { type ToolSize, toolLimits } from '../limits.ts';
import type { LanguageData } from './language-data.ts';
import { WarmTesseracts } from './native-warm.ts';
import { isTurn, type OcrOutcome, type OcrReading, type OcrRunner, type OcrTask, type Turn, toReading } from './ocr-runner.ts';
import { parseOrientation, parseTsv } from './tesseract-tsv.ts';

export interface NativeRunnerSettings {
  readonly program: string;
  /** Where it is missing, every page gets a tesseract of its own. */
  readonly stdbuf: string | undefined;
  readonly data: LanguageData;
  readonly oem: number;
  readonly scratchPath: string;
  readonly limits: ToolSize;
}

/** Below this the engine's opinion on how a page lies is a guess. */
const MIN_ORIENTATION_CONFIDENCE = 1;

/** The neural network alone. The other modes learn letters from page to page, so what one read before would show. */
const FORGETFUL_OEM = 1;

/** The tesseract program, a process with one thread for each page at a time: cores are shared out by pages, which wastes none. */
export class NativeRunner implements OcrRunner {
  readonly name = 'native';
  readonly canReadAgain = true;
  readonly languages: ReadonlySet<string>;
  readonly #settings: NativeRunnerSettings;
  readonly #warm: WarmTesseracts | undefined;

  constructor(settings: NativeRunnerSettings) {
    this.#settings = settings;
    this.languages = settings.data.languages;
    const { stdbuf, oem } = settings;
    this.#warm =
      stdbuf === undefined || oem !== FORGETFUL_OEM
        ? undefined
        : new WarmTesseracts({ ...settings, stdbuf, dataFolder: settings.data.folder });
  }

  async read(task: OcrTask): Promise<OcrOutcome<OcrReading>> {
    const args = ['-l', task.language, '--psm', `${task.psm}`, '--oem', `${this.#settings.oem}`, '-c', 'tessedit_create_tsv=1'];
    if (this.#warm !== undefined) {
      const page = await this.#warm.read(task.imagePath, [...this.#engineArgs(task), ...args], task.timeoutMs, task.signal);
      return page.ok ? { ok: true, value: toReading(parseTsv(page.tsv)) } : page;
    }
    const run = await this.#run(task, args);
    if (run.kind === 'done') return { ok: true, value: toReading(parseTsv(run.stdout.toString('utf8'))) };
    return { ok: false, reason: run.kind === 'timeout' ? 'timeout' : 'reader_died' };
  }

  async findTurn(task: OcrTask): Promise<Turn | undefined> {
    if (!this.#settings.data.hasOrientation) return undefined;
    const run = await this.#run(task, ['-l', 'osd', '--psm', '0']);
    const degrees = run.kind === 'done' ? parseOrientation(run.stdout.toString('utf8'), MIN_ORIENTATION_CONFIDENCE) : undefined;
    return degrees !== undefined && isTurn(degrees) ? degrees : undefined;
  }

  async close(): Promise<void> {
    await this.#warm?.close();
  }

  #engineArgs({ dpi }: OcrTask): readonly string[] {
    return ['--tessdata-dir', this.#settings.data.folder, '--dpi', `${Math.round(dpi)}`];
  }

  async #run(task: OcrTask, args: readonly string[]): Promise<ToolOutcome> {
    const { imagePath, timeoutMs, signal } = task;
    const { program, scratchPath, data, limits } = this.#settings;
    await using exchange = await ExchangeFolder.open(join(scratchPath, `tesseract-${randomUUID()}`));
    const run = await runTool({
      file: program,
      args: [await exchange.lend(imagePath), 'stdout', ...this.#engineArgs(task), ...args],
      cwd: exchange.path,
      access: { readOnly: [data.folder] },
      timeoutMs,
      signal,
      limits: toolLimits(limits),
      env: { OMP_THREAD_LIMIT: '1' },
    });
    signal.throwIfAborted();
    return run;
  }
}
