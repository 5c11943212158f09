import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import type { Plugin } from 'vite';

const FIRST = '?compiled';
const LATER = '?compiled&later';

/** What mails, pages of the service and the manifest alone say: no browser needs it. */
const OF_THE_SERVICE = /^(?:manifest|notifications\.mail|sharePage)\./;

/** Messages that only screens show which are loaded with them: those of administrators, and what is reported to them. See load-translator.ts. */
export const LATER_NAMESPACES = [
  'auditActions',
  'backups',
  'barcodeForm',
  'deliveries',
  'health',
  'hosts',
  'imports',
  'pageEditor',
  'permissionGroups',
  'queue',
  'serviceProblems',
  'settingMeanings',
  'settingNames',
  'settingSections',
  'sharedFiles',
  'shares',
  'signatures',
  'similar',
  'sourceScreen',
  'split',
  'storage',
  'trash',
  'versions',
] as const;

const isLater = (key: string): boolean => LATER_NAMESPACES.some((namespace) => key.startsWith(`${namespace}.`));

/** What the service sends in English with the settings themselves: browsers need it in other languages alone. */
const isSentInEnglish = (file: string, key: string): boolean => basename(file) === 'en.json' && key.startsWith('settingMeanings.');

/**
 * Compiles message catalogues at build time: browsers get no parser. `import('…/en.json?compiled')` is the compiled form of what the first screens
 * need of a file, `import('…/en.json?compiled&later')` that of the rest.
 */
export const compileMessages = (): Plugin => ({
  name: 'compile-messages',
  enforce: 'pre',
  async load(id) {
    const query = [FIRST, LATER].find((one) => id.endsWith(`.json${one}`));
    if (query === undefined) return undefined;
    const file = id.slice(0, -query.length);
    this.addWatchFile(file);
    const messages = Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, string>);
    const wanted = messages.filter(
      ([key]) => isLater(key) === (query === LATER) && !OF_THE_SERVICE.test(key) && !isSentInEnglish(file, key),
    );
    const catalogue = compileCatalogue(Object.fromEntries(wanted), { isCompared: query === FIRST });
    return { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(catalogue))});`, moduleType: 'js' };
  },
});
