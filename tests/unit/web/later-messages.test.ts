import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LATER_NAMESPACES } from '@sheaf/web/testing';
import test from 'ava';

const SOURCES = join(import.meta.dirname, '../../../apps/web/src');
const STATIC = /^(?:import|export)\s[^;]*?from '(\.[^']+)'/gm;
const LATE = /(withLaterMessages\(\s*)?\(\) =>\s*import\('(\.[^']+)'\)/g;
/** What shows later messages: by their names, or through functions of `@sheaf/messages` that find them. */
const SHOWS_LATER = new RegExp(
  `['"\`](?:${LATER_NAMESPACES.join('|')})\\.|\\b(?:problemsText|alertText|serviceProblemText|notificationText)\\(`,
);

interface Module {
  readonly text: string;
  readonly imports: readonly string[];
  readonly late: readonly { readonly file: string; readonly withLater: boolean }[];
}

const readModules = async (): Promise<ReadonlyMap<string, Module>> => {
  const modules = new Map<string, Module>();
  for await (const name of glob('**/*.{ts,tsx}', { cwd: SOURCES })) {
    const file = join(SOURCES, name);
    const text = await readFile(file, 'utf8');
    const at = (path: string): string => join(dirname(file), path);
    modules.set(file, {
      text,
      imports: [...text.matchAll(STATIC)].map(([, path = '']) => at(path)),
      late: [...text.matchAll(LATE)].map(([, wrapped, path = '']) => ({ file: at(path), withLater: wrapped !== undefined })),
    });
  }
  return modules;
};

/** The modules that are loaded together with `entry`. */
const loadedWith = (modules: ReadonlyMap<string, Module>, entry: string): ReadonlySet<string> => {
  const found = new Set([entry]);
  for (const file of found) for (const imported of modules.get(file)?.imports ?? []) found.add(imported);
  return found;
};

test('what shows later messages is loaded together with them', async (t) => {
  const modules = await readModules();
  const late = [...modules.values()].flatMap((module) => module.late);
  const ofLater = late.filter(({ withLater }) => withLater).map(({ file }) => file);
  const others = [join(SOURCES, 'main.tsx'), ...late.filter(({ withLater }) => !withLater).map(({ file }) => file)];
  // what is behind a screen that has them may show them as well
  const behind = new Set(
    ofLater.flatMap((entry) => [...loadedWith(modules, entry)].flatMap((file) => modules.get(file)?.late.map((one) => one.file) ?? [])),
  );
  const showing = (entry: string): string[] =>
    [...loadedWith(modules, entry)].filter((file) => SHOWS_LATER.test(modules.get(file)?.text ?? ''));
  const wrong = others.filter((entry) => !behind.has(entry)).flatMap((entry) => showing(entry).map((file) => [entry, file]));
  t.deepEqual(wrong, []);
  t.true(ofLater.length > 5 && ofLater.every((entry) => showing(entry).length > 0), 'each screen that loads them shows them');
});
