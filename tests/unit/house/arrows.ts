/** The arrows of the house: what each part may import beside its own files. ARCHITECTURE.md explains them. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [],
  'packages/messages': [],
  'packages/containers': [],
  'packages/runtime': ['contract'],
  'packages/config': ['contract'],
  'packages/embedded-postgres': ['contract', 'runtime'],
  'packages/db': ['contract', 'runtime'],
  'packages/storage': ['contract', 'runtime'],
  'packages/extraction': ['contract', 'runtime', 'containers'],
  'packages/file-tree': [],
  'packages/sources': ['contract', 'runtime', 'file-tree'],
  'packages/identity': ['contract', 'runtime', 'db'],
  'packages/search': ['contract', 'runtime', 'db'],
  'packages/notify': ['contract', 'runtime', 'db'],
  'packages/ingest': ['contract', 'runtime', 'containers', 'db', 'storage'],
  'packages/watch-directory': ['contract', 'runtime', 'db'],
  'packages/integrity': ['contract', 'runtime', 'db', 'storage'],
  'packages/backup': ['contract', 'runtime', 'db', 'storage'],
  'packages/program': ['contract', 'runtime', 'config', 'db'],
  'packages/testkit': ['contract', 'runtime', 'db', 'storage', 'embedded-postgres'],
  'apps/supervisor': ['contract', 'runtime', 'config', 'embedded-postgres'],
  'apps/api': [
    'contract',
    'runtime',
    'config',
    'program',
    'db',
    'storage',
    'sources',
    'file-tree',
    'identity',
    'search',
    'ingest',
    'watch-directory',
    'notify',
    'extraction',
  ],
  'apps/web': ['contract', 'messages'],
  'apps/ocr-worker': ['contract', 'runtime', 'config', 'program', 'db', 'storage', 'extraction', 'search'],
  'apps/watcher': ['contract', 'runtime', 'config', 'program', 'db', 'storage', 'file-tree', 'ingest', 'integrity', 'watch-directory'],
  'apps/sync': ['contract', 'runtime', 'config', 'program', 'db', 'storage', 'file-tree', 'sources', 'ingest', 'notify'],
  'apps/cli': [
    'contract',
    'runtime',
    'config',
    'program',
    'db',
    'storage',
    'identity',
    'ingest',
    'search',
    'backup',
    'integrity',
    'embedded-postgres',
  ],
};

export interface Part {
  /** Such as packages/db. */
  readonly path: string;
  /** Names of the packages it lists in its package.json. */
  readonly dependencies: readonly string[];
  /** What its files import, as written. */
  readonly imports: readonly { readonly file: string; readonly specifier: string }[];
}

const OURS = '@sheaf/';
/** Further doors and who may use them: the api draws pictures and reads no documents; search writes SQL of its own. */
const EXTRA_DOORS: Readonly<Record<string, string>> = { '@sheaf/extraction/thumbnail': 'apps/api', '@sheaf/db/drizzle': 'packages/search' };

/** Every way in which a part reaches where it may not. Empty when the house is in order. */
export const findWrongArrows = (parts: readonly Part[], arrows: Readonly<Record<string, readonly string[]>> = ARROWS): string[] =>
  parts.flatMap(({ path, dependencies, imports }) => {
    const allowed = arrows[path];
    if (allowed === undefined) return [`${path} stands in no arrow table`];
    const listed = dependencies.filter((name) => name.startsWith(OURS)).map((name) => name.slice(OURS.length));
    const wrongDependencies = listed.filter((name) => !allowed.includes(name)).map((name) => `${path} depends on ${name}`);
    return [...wrongDependencies, ...imports.flatMap(({ file, specifier }) => judgeImport(path, listed, file, specifier))];
  });

const judgeImport = (path: string, listed: readonly string[], file: string, specifier: string): string[] => {
  if (specifier.startsWith('.')) {
    const target = new URL(specifier, `file:///${path}/${file}`).pathname.slice(1);
    return target.startsWith(`${path}/`) ? [] : [`${path}/${file} reaches out to ${target}`];
  }
  if (!specifier.startsWith(OURS)) return [];
  const [, name = '', door] = /^@sheaf\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (!listed.includes(name)) return [`${path}/${file} imports ${name} without listing it`];
  if (door !== undefined && EXTRA_DOORS[specifier] !== path) return [`${path}/${file} enters ${name} by ${door}`];
  return path === 'apps/api' && specifier === '@sheaf/extraction' ? [`${path}/${file} may only have pictures of extraction`] : [];
};

/** Whether following the arrows ever leads back to where one started. */
export const hasCircle = (arrows: Readonly<Record<string, readonly string[]>> = ARROWS): boolean => {
  const visit = (path: string, above: readonly string[]): boolean =>
    above.includes(path) || (arrows[path] ?? []).some((name) => visit(`packages/${name}`, [...above, path]));
  return Object.keys(arrows).some((path) => visit(path, []));
};
