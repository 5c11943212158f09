/** The arrows of the house: what each part may import beside its own files. docs/contributing/architecture.md explains them. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'packages/vocabulary': [],
  'packages/contract': ['messages', 'vocabulary'],
  'packages/process': ['contract', 'vocabulary'],
  'packages/db': ['contract', 'process', 'vocabulary'],
  'packages/documents': ['contract', 'db', 'page-words', 'vocabulary'],
  'packages/machine': [],
  'packages/storage': ['contract', 'machine', 'process'],
  'packages/backup': ['contract', 'db', 'documents', 'machine', 'process', 'storage', 'vocabulary'],
  'packages/config': ['contract', 'messages', 'vocabulary'],
  'packages/containers': [],
  'packages/page-words': [],
  'packages/einvoice': [],
  'packages/facts': ['page-words'],
  'packages/embedded-postgres': ['contract', 'machine', 'process', 'vocabulary'],
  'packages/events': ['db', 'vocabulary'],
  'packages/outbound': ['contract', 'process'],
  'packages/tools': ['contract', 'process'],
  'packages/extraction': ['containers', 'contract', 'machine', 'outbound', 'page-words', 'process', 'tools', 'vocabulary'],
  'packages/file-tree': [],
  'packages/notifications': ['contract', 'db', 'events', 'messages', 'outbound', 'process', 'vocabulary'],
  'packages/users': ['contract', 'db', 'messages', 'notifications', 'process', 'vocabulary'],
  'packages/identity': ['contract', 'db', 'messages', 'outbound', 'process', 'users', 'vocabulary'],
  'packages/labels': ['contract', 'db', 'documents', 'process', 'vocabulary'],
  'packages/ocr-queue': ['contract', 'db', 'documents', 'events', 'messages', 'process', 'vocabulary'],
  'packages/sources': ['contract', 'db', 'documents', 'file-tree', 'outbound', 'process', 'vocabulary'],
  'packages/ingest': [
    'containers',
    'contract',
    'db',
    'documents',
    'events',
    'labels',
    'machine',
    'notifications',
    'ocr-queue',
    'process',
    'sources',
    'storage',
    'vocabulary',
  ],
  'packages/integrity': ['contract', 'db', 'documents', 'machine', 'notifications', 'ocr-queue', 'process', 'storage', 'vocabulary'],
  'packages/messages': [],
  'packages/settings': ['db', 'vocabulary'],
  'packages/program': ['config', 'contract', 'db', 'machine', 'process', 'settings', 'vocabulary'],
  'packages/search': ['contract', 'db', 'vocabulary'],
  'packages/testkit': ['contract', 'db', 'ocr-queue', 'process', 'tools', 'users', 'vocabulary'],
  'packages/watching': ['contract', 'db', 'ingest', 'machine', 'process', 'users', 'vocabulary'],
  'apps/api': [
    'backup',
    'config',
    'contract',
    'db',
    'documents',
    'events',
    'extraction',
    'file-tree',
    'identity',
    'ingest',
    'labels',
    'machine',
    'messages',
    'notifications',
    'ocr-queue',
    'outbound',
    'process',
    'program',
    'search',
    'settings',
    'sources',
    'storage',
    'tools',
    'users',
    'vocabulary',
    'watching',
  ],
  'apps/cli': [
    'backup',
    'config',
    'contract',
    'db',
    'documents',
    'embedded-postgres',
    'identity',
    'ingest',
    'integrity',
    'messages',
    'notifications',
    'ocr-queue',
    'process',
    'program',
    'search',
    'storage',
    'users',
    'vocabulary',
  ],
  'apps/ocr-worker': [
    'config',
    'contract',
    'db',
    'documents',
    'events',
    'extraction',
    'machine',
    'notifications',
    'ocr-queue',
    'outbound',
    'process',
    'program',
    'search',
    'settings',
    'storage',
    'tools',
    'vocabulary',
  ],
  'apps/supervisor': ['config', 'contract', 'embedded-postgres', 'machine', 'process', 'vocabulary'],
  'apps/sync': [
    'config',
    'contract',
    'db',
    'documents',
    'events',
    'file-tree',
    'ingest',
    'notifications',
    'outbound',
    'process',
    'program',
    'sources',
    'storage',
    'users',
    'vocabulary',
  ],
  'apps/watcher': [
    'backup',
    'config',
    'contract',
    'db',
    'documents',
    'events',
    'file-tree',
    'ingest',
    'integrity',
    'machine',
    'notifications',
    'ocr-queue',
    'process',
    'program',
    'storage',
    'users',
    'vocabulary',
    'watching',
  ],
  'apps/web': ['contract', 'messages', 'vocabulary'],
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
