import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import type { Plugin } from 'vite';

const QUERY = '?compiled';

/** What the service sends in English with the settings themselves: browsers need it in other languages alone. */
const isSentInEnglish = (file: string, key: string): boolean => basename(file) === 'en.json' && key.startsWith('settingMeanings.');

/** Compiles message catalogues at build time: browsers get no parser. `import('…/en.json?compiled')` is the compiled form of a file. */
export const compileMessages = (): Plugin => ({
  name: 'compile-messages',
  enforce: 'pre',
  async load(id) {
    if (!id.endsWith(`.json${QUERY}`)) return undefined;
    const file = id.slice(0, -QUERY.length);
    this.addWatchFile(file);
    const messages = Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, string>);
    const catalogue = compileCatalogue(Object.fromEntries(messages.filter(([key]) => !isSentInEnglish(file, key))));
    return { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(catalogue))});`, moduleType: 'js' };
  },
});
