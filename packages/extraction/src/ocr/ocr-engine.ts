import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExchangeFolder, runTool, type ToolOutcome } from '@sheaf/sandbox';
import type { PageWord } from '@sheaf/vocabulary/page-words';
import { Piscina } from 'piscina';
import { type ExtractionSettings, type ToolSize, toolLimits } from '../extraction.ts';
import { findProgram } from '../find-program.ts';
import { CloudRunner } from './cloud-runner.ts';
import { WarmTesseracts } from './native-warm.ts';
import {
  isTurn,
  type OcrLine,
  type OcrOutcome,
  type OcrReading,
  type OcrRunner,
  type OcrTask,
  type Turn,
  toReading,
} from './ocr-runner.ts';
import type { WasmTask } from './wasm-task.ts';

type EngineSettings = Pick<ExtractionSettings, 'runner' | 'readers' | 'oem' | 'dataPath' | 'scratchPath' | 'limits' | 'cloud'>;

/** The runners of this machine in order of preference, by the settings. */
export class OcrEngine {
  readonly #runners: readonly OcrRunner[];

  constructor(runners: readonly OcrRunner[]) {
    this.#runners = runners;
  }

  static async open(settings: EngineSettings): Promise<OcrEngine> {
    if (settings.cloud !== undefined) return new OcrEngine([new CloudRunner(settings.cloud)]);
    const installed = await findInstalledData(settings.dataPath);
    const runners = [await openNative(settings, installed), await openWasm(settings, installed)];
    return new OcrEngine(runners.filter((runner) => runner !== undefined));
  }

  get languages(): readonly string[] {
    return [...new Set(this.#runners.flatMap((runner) => [...runner.languages]))].sort();
  }

  /** The first runner that knows all of `language`; of several the one that knows most of `others`. */
  runnerFor(language: string, others: readonly string[] = []): OcrRunner | undefined {
    const codes = language.split('+');
    const known = (runner: OcrRunner): number => others.filter((code) => runner.languages.has(code)).length;
    return this.#runners
      .filter((runner) => codes.every((code) => runner.languages.has(code)))
      .toSorted((a, b) => known(b) - known(a))
      .at(0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.close()));
  }
}

const openNative = async (
  { runner, oem, scratchPath, limits }: EngineSettings,
  data: LanguageData | undefined,
): Promise<OcrRunner | undefined> => {
  if (runner === 'wasm' || data === undefined) return undefined;
  const program = await findProgram('tesseract');
  const stdbuf = await findProgram('stdbuf');
  return program === undefined ? undefined : new NativeRunner({ program, stdbuf, data, oem, scratchPath, limits });
};

const openWasm = async ({ runner, oem, readers }: EngineSettings, installed: LanguageData | undefined): Promise<OcrRunner | undefined> => {
  if (runner === 'native') return undefined;
  // Debian's models are a third faster than the packaged ones.
  const data = [installed, await findPackagedData(), ...(await findDownloadedData())].filter((candidate) => candidate !== undefined);
  return data.length === 0 ? undefined : new WasmRunner({ threads: readers, data, oem });
};

interface NativeRunnerSettings {
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
  readonly canRunOcrAgain = true;
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

const PAGE_LEVEL = '1';
const WORD_LEVEL = '5';

/** The lines of tesseract's TSV. Columns: level, page, block, paragraph, line, word, left, top, width, height, conf, text. */
export const parseTsv = (tsv: string): readonly OcrLine[] => {
  const lines: { id: string; paragraph: string; words: PageWord[] }[] = [];
  let page = { width: 1, height: 1 };
  for (const row of tsv.split('\n')) {
    const [level, , block, paragraph, line, , left, top, width, height, conf, ...rest] = row.split('\t');
    if (level === PAGE_LEVEL) page = { width: Number(width) || 1, height: Number(height) || 1 };
    const text = rest.join('\t').trim();
    if (level !== WORD_LEVEL || text === '') continue;
    const id = `${block}.${paragraph}.${line}`;
    const box = {
      x: Number(left) / page.width,
      y: Number(top) / page.height,
      width: Number(width) / page.width,
      height: Number(height) / page.height,
    };
    const word = { text, confidence: Math.min(1, Math.max(0, Number(conf) / 100)), box };
    const current = lines.at(-1);
    if (current?.id === id) current.words.push(word);
    else lines.push({ id, paragraph: `${block}.${paragraph}`, words: [word] });
  }
  return lines;
};

/** The answer of `--psm 0`, or undefined where the engine is as good as guessing. */
export const parseOrientation = (answer: string, minConfidence: number): number | undefined => {
  const degrees = /^Rotate: (\d+)/m.exec(answer)?.[1];
  const confidence = Number(/^Orientation confidence: ([\d.]+)/m.exec(answer)?.[1] ?? 0);
  return degrees === undefined || confidence < minConfidence ? undefined : Number(degrees);
};

interface WasmRunnerSettings {
  readonly threads: number;
  /** Searched in this order for a folder that has all languages of a page. */
  readonly data: readonly LanguageData[];
  readonly oem: number;
}

const IDLE_MS = 60_000;

/** tesseract.js in threads, one engine each. Needs no system package. */
export class WasmRunner implements OcrRunner {
  readonly name = 'wasm';
  readonly canRunOcrAgain = true;
  readonly languages: ReadonlySet<string>;
  readonly #settings: WasmRunnerSettings;
  readonly #pool: Piscina;

  constructor(settings: WasmRunnerSettings) {
    this.#settings = settings;
    this.languages = new Set(settings.data.flatMap((data) => [...data.languages]));
    this.#pool = new Piscina({
      filename: new URL('./wasm-task.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: settings.threads,
      idleTimeout: IDLE_MS,
      // Pages come from slots of the same number, so nothing waits here unless a thread is just being replaced.
      maxQueue: settings.threads * 2,
    });
  }

  read(task: OcrTask): Promise<OcrOutcome<OcrReading>> {
    return this.#ask<OcrReading>('read', task, this.#dataFor(task.language));
  }

  async findTurn(task: OcrTask): Promise<Turn | undefined> {
    const data = this.#settings.data.find((candidate) => candidate.hasOrientation);
    if (data === undefined) return undefined;
    const answer = await this.#ask<Turn | undefined>('find_turn', task, data);
    return answer.ok ? answer.value : undefined;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #dataFor(language: string): LanguageData {
    const codes = language.split('+');
    const data = this.#settings.data.find((candidate) => codes.every((code) => candidate.languages.has(code)));
    if (data === undefined) throw new Error(`No folder contains the language data of ${language}`);
    return data;
  }

  /** A thread that is aborted or dies takes its engine with it; the pool makes a new one for the next page. */
  async #ask<T>(kind: WasmTask['kind'], task: OcrTask, data: LanguageData): Promise<OcrOutcome<T>> {
    const { imagePath, language, dpi, psm } = task;
    const message: WasmTask = { kind, imagePath, language, dataFolder: data.folder, gzip: data.gzip, dpi, psm, oem: this.#settings.oem };
    const timeout = AbortSignal.timeout(task.timeoutMs);
    try {
      // The thread runs no program, so ending it from outside leaves nothing behind.
      return { ok: true, value: await this.#pool.run(message, { signal: AbortSignal.any([task.signal, timeout]) }) };
    } catch {
      task.signal.throwIfAborted();
      return { ok: false, reason: timeout.aborted ? 'timeout' : 'reader_died' };
    }
  }
}

interface LanguageData {
  readonly folder: string;
  /** npm's files are compressed, which only tesseract.js reads. */
  readonly gzip: boolean;
  readonly languages: ReadonlySet<string>;
  /** The data that tells how a page lies. */
  readonly hasOrientation: boolean;
}

/** Beside the configured folder: where Debian and others put the models of tesseract 5 and 4. */
const USUAL_FOLDERS = [
  '/usr/share/tesseract-ocr/5/tessdata',
  '/usr/share/tesseract-ocr/4.00/tessdata',
  '/usr/share/tessdata',
  '/usr/local/share/tessdata',
];
const NOT_LANGUAGES = new Set(['osd', 'equ', 'snum']);

/** The models in the configured folder, or in the first usual folder that has any. */
export const findInstalledData = async (configured: string): Promise<LanguageData | undefined> => {
  for (const folder of [configured, ...USUAL_FOLDERS]) {
    const data = await readFolder(folder, '.traineddata');
    if (data !== undefined) return data;
  }
  return undefined;
};

/** The models that come as an npm package; English only. */
export const findPackagedData = (): Promise<LanguageData | undefined> => {
  const packageFolder = dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng')));
  return readFolder(join(packageFolder, '4.0.0_best_int'), '.traineddata.gz');
};

/** Where ./setup puts the models that it has from npm, as no system package could be installed. */
const DOWNLOADED = fileURLToPath(new URL('../../../../.setup/languages/node_modules/@tesseract.js-data', import.meta.url));

/** The models that ./setup --languages has put beside the project, a folder for each language. */
export const findDownloadedData = async (folder = DOWNLOADED): Promise<readonly LanguageData[]> => {
  const found = await Promise.all(
    (await listFiles(folder)).map((code) => readFolder(join(folder, code, '4.0.0_best_int'), '.traineddata.gz')),
  );
  return found.filter((data) => data !== undefined);
};

const readFolder = async (folder: string, suffix: string): Promise<LanguageData | undefined> => {
  const codes = (await listFiles(folder)).filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
  const languages = new Set(codes.filter((code) => !NOT_LANGUAGES.has(code)).sort());
  return languages.size === 0 ? undefined : { folder, gzip: suffix.endsWith('.gz'), languages, hasOrientation: codes.includes('osd') };
};

const listFiles = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch {
    return []; // a folder that is not there holds no models
  }
};
