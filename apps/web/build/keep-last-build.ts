import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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
