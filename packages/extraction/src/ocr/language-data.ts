import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface LanguageData {
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
