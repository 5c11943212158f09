import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';
import type { Shell } from '../src/worker/worker-rules.ts';

const WORKER = 'src/worker/worker.ts';
const IN_PAGE = /(?:src|href)="(\/assets\/[^"]+)"/g;
/** The messages of the first screens. */
const MESSAGES = /\.json\?compiled$/;
const ICON = '/icon.svg';

type Bundle = Rolldown.OutputBundle;

const contentOf = (file: Bundle[string]): string | Uint8Array => (file.type === 'chunk' ? file.code : file.source);

/** What starts the client: what its page names, what that imports, and the messages of each language. */
export const shellOf = (bundle: Bundle): Omit<Shell, 'version'> => {
  const page = bundle['index.html'];
  if (page?.type !== 'asset') throw new Error('The build has no page');
  const named = [...String(page.source).matchAll(IN_PAGE)].map(([, address = '']) => address.slice(1));
  const entry = named.findLast((name) => name.endsWith('.js'));
  if (entry === undefined) throw new Error('The page starts no script');
  const messages = Object.values(bundle).flatMap((file) =>
    file.type === 'chunk' && MESSAGES.test(file.facadeModuleId ?? '') ? [file.fileName] : [],
  );
  const names = new Set([...named, ...messages]);
  for (const name of names) {
    const file = bundle[name];
    if (file?.type === 'chunk') for (const imported of file.imports) names.add(imported);
  }
  return {
    entry: `/${entry}`,
    files: [...names]
      .map((name) => `/${name}`)
      .concat(ICON)
      .toSorted(),
  };
};

/** Changes with each file of the build, and with the worker itself. */
const versionOf = (bundle: Bundle, worker: string): string => {
  const hash = createHash('sha256').update(worker);
  for (const [name, file] of Object.entries(bundle).toSorted(([a], [b]) => (a < b ? -1 : 1))) hash.update(name).update(contentOf(file));
  return hash.digest('hex').slice(0, 16);
};

const compile = async (root: string, shell: string): Promise<string> => {
  const built = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    define: { SHELL: shell },
    build: { write: false, target: 'es2023', rolldownOptions: { input: join(root, WORKER), output: { format: 'iife' } } },
  });
  const [
    {
      output: [script],
    },
  ] = [built].flat() as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  return script.code;
};

/** Adds the service worker to the build, as `sw.js`: one script that knows what else the build has. */
export const buildWorker = (): Plugin => {
  let root = '';
  return {
    name: 'build-worker',
    apply: 'build',
    configResolved: (config) => {
      root = config.root;
    },
    generateBundle: {
      order: 'post',
      handler: async function (_options, bundle) {
        const shell = shellOf(bundle);
        const version = versionOf(bundle, await compile(root, JSON.stringify({ ...shell, version: '' })));
        this.emitFile({ type: 'asset', fileName: 'sw.js', source: await compile(root, JSON.stringify({ ...shell, version })) });
      },
    },
  };
};
