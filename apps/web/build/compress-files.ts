import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

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
