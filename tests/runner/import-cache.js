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

const cacheImports = () => {
  const known = new Map(
    read()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [parent, specifier, url, format] = JSON.parse(line);
        return [`${parent} ${specifier}`, { url: root + url, format }];
      }),
  );
  const added = [];

  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const parent = below(context.parentURL);
      // a test file is loaded once
      if (parent === undefined || parent.endsWith('.test.ts') || !context.conditions.includes('import')) return next(specifier, context);
      const cached = known.get(`${parent} ${specifier}`);
      if (cached !== undefined) return { ...cached, importAttributes: context.importAttributes, shortCircuit: true };
      const found = next(specifier, context);
      const url = below(found.url);
      if (url !== undefined && typeof found.format === 'string') added.push([parent, specifier, url, found.format]);
      return found;
    },
  });

  process.on('exit', () => {
    if (added.length > 0) appendFileSync(path, added.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  });
};

// Some tests start the Node of the machine, which may be too old for this
if (path !== undefined && 'registerHooks' in nodeModule) cacheImports();
