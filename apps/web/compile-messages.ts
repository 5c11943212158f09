import { readFile } from 'node:fs/promises';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import type { Plugin } from 'vite';

const QUERY = '?compiled';

/** Compiles message catalogues at build time: browsers get no parser. `import('…/en.json?compiled')` is the compiled form of a file. */
export const compileMessages = (): Plugin => ({
  name: 'compile-messages',
  enforce: 'pre',
  async load(id) {
    if (!id.endsWith(`.json${QUERY}`)) return undefined;
    const file = id.slice(0, -QUERY.length);
    this.addWatchFile(file);
    const catalogue = compileCatalogue(JSON.parse(await readFile(file, 'utf8')) as Record<string, string>);
    return { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(catalogue))});`, moduleType: 'js' };
  },
});
