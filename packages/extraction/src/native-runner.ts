import { runTool, type ToolOutcome } from '@sheaf/runtime';
import type { LanguageData } from './language-data.ts';
import { isTurn, type OcrOutcome, type OcrReading, type OcrRunner, type OcrTask, type Turn, toReading } from './ocr-runner.ts';
import { parseOrientation, parseTsv } from './tesseract-tsv.ts';

export interface NativeRunnerSettings {
  readonly program: string;
  readonly data: LanguageData;
  readonly oem: number;
  readonly scratchPath: string;
}

/** Below this the engine's opinion on how a page lies is a guess. */
const MIN_ORIENTATION_CONFIDENCE = 1;

/** The tesseract program, one process and one thread a page: cores are shared out by pages, which wastes none. */
export class NativeRunner implements OcrRunner {
  readonly name = 'native';
  readonly languages: ReadonlySet<string>;
  readonly #settings: NativeRunnerSettings;

  constructor(settings: NativeRunnerSettings) {
    this.#settings = settings;
    this.languages = settings.data.languages;
  }

  async read(task: OcrTask): Promise<OcrOutcome<OcrReading>> {
    const { oem } = this.#settings;
    const run = await this.#run(task, ['-l', task.language, '--psm', `${task.psm}`, '--oem', `${oem}`, '-c', 'tessedit_create_tsv=1']);
    if (run.kind === 'done') return { ok: true, value: toReading(parseTsv(run.stdout.toString('utf8'))) };
    return { ok: false, reason: run.kind === 'timeout' ? 'timeout' : 'reader_died' };
  }

  async findTurn(task: OcrTask): Promise<Turn | undefined> {
    if (!this.#settings.data.hasOrientation) return undefined;
    const run = await this.#run(task, ['-l', 'osd', '--psm', '0']);
    const degrees = run.kind === 'done' ? parseOrientation(run.stdout.toString('utf8'), MIN_ORIENTATION_CONFIDENCE) : undefined;
    return degrees !== undefined && isTurn(degrees) ? degrees : undefined;
  }

  async close(): Promise<void> {}

  async #run({ imagePath, dpi, timeoutMs, signal }: OcrTask, args: readonly string[]): Promise<ToolOutcome> {
    const { program, data, scratchPath } = this.#settings;
    const run = await runTool({
      file: program,
      args: [imagePath, 'stdout', '--tessdata-dir', data.folder, '--dpi', `${Math.round(dpi)}`, ...args],
      cwd: scratchPath,
      timeoutMs,
      signal,
      env: { OMP_THREAD_LIMIT: '1' },
    });
    signal.throwIfAborted();
    return run;
  }
}
