// Loaded into every process of a run by NODE_OPTIONS: what an import leads to is looked up on the disk once a run, not once a process.
// That is most of what starting a program of many small modules costs. No file of the tree comes or goes during a run.
import { appendFileSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

const path = process.env.SHEAF_TEST_IMPORTS;
const root = new URL('../..', import.meta.url).href;

const read = () => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // this is the first process
  }
};

/** The part of an URL below the tree; undefined for what lies elsewhere, such as the copies of it that some tests make and change. */
const below = (url) => (url?.startsWith(root) ? url.slice(root.length) : undefined);

/** Whether Node takes this for what it is by its name alone, so that its format need not be known: only an import says formats. */
const isScript = (url) => url.endsWith('.js') || url.endsWith('.cjs');

// A line has what is looked up (how, from where, what) and what is found (URL, format), each with a tab behind it.
const cacheImports = () => {
  const known = new Map();
  // behind the last line end there is nothing, or a line that another process is writing
  for (const line of read().split('\n').slice(0, -1)) {
    const middle = line.indexOf('\t\t');
    if (middle > 0) known.set(line.slice(0, middle), line.slice(middle + 2));
  }
  const added = [];

  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const parent = below(context.parentURL);
      // a test file is loaded once
      if (parent === undefined || parent.endsWith('.test.ts')) return next(specifier, context);
      const isImport = context.conditions.includes('import');
      const key = `${isImport ? 'import' : 'require'}\t${parent}\t${specifier}`;
      const cached = known.get(key);
      if (cached !== undefined) {
        const [url, format] = cached.split('\t');
        return {
          url: root + url,
          format: format === '' ? undefined : format,
          importAttributes: context.importAttributes,
          shortCircuit: true,
        };
      }
      const found = next(specifier, context);
      const url = below(found.url);
      if (url !== undefined && (isImport ? typeof found.format === 'string' : isScript(url)))
        added.push(`${key}\t\t${url}\t${found.format ?? ''}\n`);
      return found;
    },
  });

  process.on('exit', () => {
    try {
      if (added.length > 0) appendFileSync(path, added.join(''));
    } catch {
      // a test runs it as another user, who may not write here; it has only saved nobody any time
    }
  });
};

// Some tests start the Node of the machine, which may be too old for this
if (path !== undefined && 'registerHooks' in nodeModule) cacheImports();
