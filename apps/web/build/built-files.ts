import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Which files the last build made, beside what it made. */
const LIST = '.built';
const ASSETS = 'assets';

const readList = async (folder: string): Promise<string[] | undefined> => {
  try {
    return JSON.parse(await readFile(join(folder, LIST), 'utf8')) as string[];
  } catch {
    return undefined; // the first build, or one that did not come to its end
  }
};

const listAssets = (folder: string): Promise<string[]> => readdir(join(folder, ASSETS)).catch(() => []);

/**
 * Leaves the files of the last build beside those of this one, and removes older ones: pages that are open, and a service that runs on, ask for
 * parts of the client they were begun with. Needs `emptyOutDir: false`.
 */
export const keepLastBuild = (): Plugin => {
  let folder = '';
  let made: string[] = [];
  return {
    name: 'keep-last-build',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    writeBundle: (_options, bundle) => {
      made = Object.keys(bundle);
    },
    closeBundle: {
      sequential: true,
      handler: async () => {
        if (made.length === 0) return; // it failed
        const last = await readList(folder);
        const kept = new Set([...made, ...(last ?? [])]);
        for (const name of last === undefined ? [] : await listAssets(folder)) {
          const original = `${ASSETS}/${name.replace(/\.(?:br|gz)$/, '')}`;
          if (!kept.has(original)) await rm(join(folder, ASSETS, name));
        }
        await writeFile(join(folder, LIST), JSON.stringify(made));
      },
    },
  };
};

/** What pdf.js fetches only for the PDFs that need it: character maps, the standard fonts, decoders of pictures. */
const FOLDERS = ['cmaps', 'standard_fonts', 'wasm', 'iccs'];

/** Puts them where the client looks for them, `/pdfjs`. */
export const copyPdfFiles = (): Plugin => {
  let folder = '';
  return {
    name: 'copy-pdf-files',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    closeBundle: async () => {
      const from = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')));
      for (const name of FOLDERS) await cp(join(from, name), join(folder, 'pdfjs', name), { recursive: true });
    },
  };
};

const COMPRESSIBLE = /\.(?:js|mjs|css|svg|json|wasm|webmanifest)$/;
const MIN_BYTES = 1_024;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

const compressFile = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) return;
  await writeFile(`${path}.br`, await toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  await writeFile(`${path}.gz`, await toGzip(bytes, { level: 9 }));
};

/** Puts a `.br` and a `.gz` beside each built file that is worth it, so that the api compresses nothing while people wait. */
export const compressFiles = (): Plugin => {
  let folder = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    // after the others: what they put there is compressed too
    closeBundle: {
      order: 'post',
      sequential: true,
      handler: async () => {
        const files = new Set(await readdir(folder, { recursive: true }));
        // those of the last build are kept, and are what their names say
        const isDone = (name: string): boolean => name.startsWith('assets/') && files.has(`${name}.gz`);
        const wanted = [...files].filter((name) => COMPRESSIBLE.test(name) && !isDone(name));
        await Promise.all(wanted.map((name) => compressFile(join(folder, name))));
      },
    },
  };
};
