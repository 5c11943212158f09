import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCALES } from '@sheaf/messages';
import de from '@sheaf/messages/locales/de.json' with { type: 'json' };
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import { manifestName, manifestOf, SHARE_TARGET, shellOf } from '@sheaf/web/testing';
import test from 'ava';

const CLIENT = join(import.meta.dirname, '../../../apps/web');

/** Width and height out of the header of a PNG. */
const pngSize = (bytes: Buffer): string => `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;

test('the manifest has what browsers ask for before they offer to install the client', async (t) => {
  const manifest = manifestOf('en', en);
  t.like(manifest, { id: '/', name: 'Sheaf', short_name: 'Sheaf', start_url: '/documents', scope: '/', display: 'standalone' });
  t.true(manifest.start_url.startsWith(manifest.scope));
  for (const purpose of ['any', 'maskable'])
    for (const size of ['192x192', '512x512'])
      t.true(
        manifest.icons.some((icon) => icon.sizes === size && icon.type === 'image/png' && icon.purpose === purpose),
        `${purpose} ${size}`,
      );
  for (const { src, sizes, type } of manifest.icons) {
    const bytes = await readFile(join(CLIENT, 'public', src));
    if (type === 'image/png') t.is(pngSize(bytes), sizes, src);
  }
});

test('every kind of file that the service accepts can be shared with the client', (t) => {
  const { action, method, enctype, params } = manifestOf('en', en).share_target;
  t.deepEqual([action, method, enctype], [SHARE_TARGET, 'POST', 'multipart/form-data']);
  const accepted = params.files[0]?.accept ?? [];
  t.deepEqual(
    SUPPORTED_EXTENSIONS.filter((extension) => !accepted.includes(`.${extension}`)),
    [],
  );
  t.true(accepted.includes('application/pdf'));
});

test('each language has a manifest of its own of the same app, and the page names a theme color for light and for dark', async (t) => {
  t.is(new Set(LOCALES.map(manifestName)).size, LOCALES.length);
  const german = manifestOf('de', de);
  t.is(german.id, manifestOf('en', en).id);
  t.is(german.lang, 'de');
  t.not(german.description, en['manifest.description']);
  t.is(german.shortcuts[0]?.name, de['shell.search']);
  const page = await readFile(join(CLIENT, 'index.html'), 'utf8');
  t.true(page.includes(`href="/${manifestName('en')}"`));
  for (const scheme of ['light', 'dark'])
    t.regex(page, new RegExp(`name="theme-color" content="#[0-9a-f]{6}" media="\\(prefers-color-scheme: ${scheme}\\)"`));
});

test('the shell is what the page names, what that imports and the first messages of each language; no screen is part of it', (t) => {
  type Bundle = Parameters<typeof shellOf>[0];
  const chunk = (fileName: string, imports: readonly string[] = [], facadeModuleId = '') => ({
    type: 'chunk',
    fileName,
    imports,
    facadeModuleId,
    code: '',
  });
  const files = [
    {
      type: 'asset',
      fileName: 'index.html',
      source: '<script src="/assets/runtime.js"></script><script src="/assets/base.js"></script><link href="/assets/base.css">',
    },
    { type: 'asset', fileName: 'assets/base.css', source: '' },
    chunk('assets/runtime.js'),
    chunk('assets/base.js', ['assets/runtime.js', 'assets/icons.js']),
    chunk('assets/icons.js', ['assets/shared.js']),
    chunk('assets/shared.js'),
    chunk('assets/en.js', [], '/locales/en.json?compiled'),
    chunk('assets/en-later.js', [], '/locales/en.json?compiled&later'),
    chunk('assets/document.js', ['assets/base.js'], '/src/screens/document/document.tsx'),
  ];
  const bundle = Object.fromEntries(files.map((file) => [file.fileName, file])) as unknown as Bundle;
  t.deepEqual(shellOf(bundle), {
    entry: '/assets/base.js',
    files: [
      '/assets/base.css',
      '/assets/base.js',
      '/assets/en.js',
      '/assets/icons.js',
      '/assets/runtime.js',
      '/assets/shared.js',
      '/icon.svg',
    ],
  });
});
