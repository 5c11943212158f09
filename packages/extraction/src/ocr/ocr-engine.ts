import type { ExtractionSettings } from '../extraction.ts';
import { findProgram } from '../find-program.ts';
import { CloudRunner } from './cloud-runner.ts';
import { findDownloadedData, findInstalledData, findPackagedData, type LanguageData } from './language-data.ts';
import { NativeRunner } from './native-runner.ts';
import type { OcrRunner } from './ocr-runner.ts';
import { WasmRunner } from './wasm-runner.ts';

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
