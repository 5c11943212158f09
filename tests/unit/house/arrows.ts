/** The arrows of the house: what each part may import beside its own files. docs/contributing/architecture.md explains them. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'packages/vocabulary': [],
  'packages/contract': ['vocabulary'],
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
  'apps/web': ['vocabulary', 'contract', 'messages'],
  'apps/ocr-worker': ['contract', 'runtime', 'config', 'program', 'db', 'storage', 'extraction', 'search'],
  'apps/watcher': ['contract', 'runtime', 'config', 'program', 'db', 'storage', 'file-tree', 'ingest', 'integrity', 'watch-directory'],
  'apps/sync': ['contract', 'runtime', 'config', 'program', 'db', 'storage', 'file-tree', 'sources', 'ingest', 'notify'],
  'apps/cli': [
    'contract',
    'messages',
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
}

const OURS = '@sheaf/';
/**
 * Every part that lists a package which it may not have. That a file imports only what its part lists, and by no other way than by
 * name, is seen by the type check and by `no-restricted-imports` in .oxlintrc.json.
 */
export const findWrongArrows = (parts: readonly Part[], arrows: Readonly<Record<string, readonly string[]>> = ARROWS): string[] =>
  parts.flatMap(({ path, dependencies }) => {
    const allowed = arrows[path];
    if (allowed === undefined) return [`${path} stands in no arrow table`];
    const listed = dependencies.filter((name) => name.startsWith(OURS)).map((name) => name.slice(OURS.length));
    return listed.filter((name) => !allowed.includes(name)).map((name) => `${path} depends on ${name}`);
  });

/** Whether following the arrows ever leads back to where one started. */
export const hasCircle = (arrows: Readonly<Record<string, readonly string[]>> = ARROWS): boolean => {
  const visit = (path: string, above: readonly string[]): boolean =>
    above.includes(path) || (arrows[path] ?? []).some((name) => visit(`packages/${name}`, [...above, path]));
  return Object.keys(arrows).some((path) => visit(path, []));
};
