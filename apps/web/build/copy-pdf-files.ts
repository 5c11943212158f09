import { cp } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

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
