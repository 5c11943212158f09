import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => !path.startsWith('tests/') && existsSync(join(ROOT, path)));

const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, 'code');

/** What a heading is called in an address, as GitHub and VitePress make it of plain ASCII text. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll('`', '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

const anchorsOf = (path: string): string[] =>
  [
    ...readFileSync(join(ROOT, path), 'utf8')
      .replaceAll(/^```[^]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => anchorOf(heading));

const linksOf = (path: string): string[] =>
  [...withoutCode(readFileSync(join(ROOT, path), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);

test('no link of a page is dead', (t) => {
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : relative(ROOT, join(ROOT, dirname(page), file));
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchorsOf(target).includes(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  t.deepEqual(dead, []);
});

test('pages of the documentation link to nothing outside of it, as the site would not have it', (t) => {
  const leaving = pages
    .filter((page) => page.startsWith('docs/'))
    .flatMap((page) =>
      linksOf(page)
        .filter((link) => !/^[a-z]+:/.test(link) && !join(dirname(page), link).startsWith('docs/'))
        .map((link) => `${page}: ${link}`),
    );
  t.deepEqual(leaving, []);
});

test('every page of the documentation can be reached from its first one', (t) => {
  const reached = new Set<string>();
  const visit = (page: string): void => {
    if (reached.has(page) || !page.endsWith('.md')) return;
    reached.add(page);
    for (const link of linksOf(page)) {
      if (!/^[a-z]+:/.test(link)) visit(join(dirname(page), link.split('#')[0] ?? ''));
    }
  };
  visit('docs/index.md');
  t.deepEqual(
    // decision records are found by their number
    pages.filter((page) => page.startsWith('docs/') && !page.startsWith('docs/adr/') && !reached.has(page)),
    [],
  );
});

test('files and folders that a page names exist', (t) => {
  const missing = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) =>
      [
        ...readFileSync(join(ROOT, page), 'utf8')
          .replaceAll('\\', '')
          .matchAll(/(?<![\w./-])(?:apps|packages|tests|deploy|drizzle|bin|docs)\/[\w./@-]*\w/g),
      ]
        .map(([path]) => path)
        .filter((path) => !existsSync(join(ROOT, path)) && !PLANNED.has(path))
        .map((path) => `${page}: ${path}`),
    );
  t.deepEqual(missing, []);
});

test('the README of each package has 10 to 40 lines and names files that are there', (t) => {
  const packages = readdirSync(join(ROOT, 'packages'));
  t.true(packages.length > 20);
  for (const name of packages) {
    const text = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    const lines = text.trimEnd().split('\n').length;
    t.true(lines >= 10 && lines <= 40, `${name}: ${lines} lines`);
    const named = [...text.matchAll(/`((?!packages\/)[\w/-]+\.(?:ts|sh))`/g)].map(([, file = '']) => file);
    t.deepEqual(
      named.filter((file) => !existsSync(join(ROOT, 'packages', name, 'src', file)) && !existsSync(join(ROOT, 'packages', name, file))),
      [],
      name,
    );
  }
});

/** Named as examples of what a reader makes. */
const PLANNED: ReadonlySet<string> = new Set(['apps/api/src/labels/unused.ts', 'drizzle/NNNN_name.sql', 'docs/.vitepress/dist']);

/** What a household reads from the first look to the first upgrade. */
const HOUSEHOLD = [
  'README.md',
  ...['index', 'container', 'systemd', 'reverse-proxy'].map((name) => `docs/install/${name}.md`),
  'docs/guides/getting-started.md',
  'docs/operate/backup-and-restore.md',
  'docs/operate/upgrade.md',
];

test('what only large installations need is one link away from the pages of a household, and not in them', (t) => {
  for (const page of HOUSEHOLD) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    t.deepEqual(text.match(/kubernetes|helm\b|patroni|replica\b|pgbouncer|several hosts/gi), null, page);
    t.true(linksOf(page).filter((link) => /(?:^|\/)large\//.test(link)).length <= 1, page);
    t.deepEqual(
      linksOf(page).filter((link) => /(?:hosts|kubernetes)\.md/.test(link)),
      [],
      page,
    );
  }
});

test('the navigation of the site has every page but decision records and internals, each once', (t) => {
  const shown = [...readFileSync(join(ROOT, 'docs/.vitepress/config.ts'), 'utf8').matchAll(/^ +\['[^']+', '\/([^']+)'\],$/gm)].map(
    ([, link = '']) => `docs/${link.endsWith('/') ? `${link}index` : link}.md`,
  );
  const wanted = pages.filter(
    (page) => page.startsWith('docs/') && page !== 'docs/index.md' && !/^docs\/(?:adr|contributing\/internals)\/(?!index)/.test(page),
  );
  t.deepEqual(shown.toSorted(), wanted.filter((page) => page !== 'docs/guides/index.md').toSorted());
});

test('the README and the architecture stay short', (t) => {
  const linesOf = (path: string): number => readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n').length;
  t.true(linesOf('README.md') <= 150);
  t.true(linesOf('docs/contributing/architecture.md') <= 150);
});
