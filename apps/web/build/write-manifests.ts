import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LOCALES, type Locale } from '@sheaf/messages';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import type { Plugin } from 'vite';
import { manifestName } from '../src/language/manifest-name.ts';
import { SHARE_TARGET } from '../src/worker/worker-rules.ts';

type Messages = Readonly<Record<string, string>>;

const icon = (name: string, size: number, purpose: 'any' | 'maskable') => ({
  src: `/icons/${name}-${size}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
});

const shortcut = (name: string | undefined, url: string) => ({ name: name ?? '', url });

/** What makes the client an app of a telephone or computer, in one language. */
export const manifestOf = (locale: Locale, messages: Messages) => ({
  id: '/',
  name: 'Sheaf',
  short_name: 'Sheaf',
  description: messages['manifest.description'] ?? '',
  lang: locale,
  dir: 'ltr',
  start_url: '/documents',
  scope: '/',
  display: 'standalone',
  // those of light; the page says which it has in the dark
  theme_color: '#ffffff',
  background_color: '#f6f7f5',
  categories: ['productivity'],
  icons: [
    { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    ...([192, 512] as const).flatMap((size) => [icon('icon', size, 'any'), icon('maskable', size, 'maskable')]),
  ],
  shortcuts: [shortcut(messages['shell.search'], '/search'), shortcut(messages['shell.savedSearches'], '/saved-searches')],
  share_target: {
    action: SHARE_TARGET,
    method: 'POST',
    enctype: 'multipart/form-data',
    params: {
      files: [
        {
          name: 'files',
          accept: FILE_KINDS.flatMap(({ mimeType, extensions }) => [mimeType, ...extensions.map((extension) => `.${extension}`)]),
        },
      ],
    },
  },
});

/** Adds a manifest for each language to the build. */
export const writeManifests = (): Plugin => ({
  name: 'write-manifests',
  apply: 'build',
  async generateBundle() {
    for (const locale of LOCALES) {
      const file = fileURLToPath(import.meta.resolve(`@sheaf/messages/locales/${locale}.json`));
      const manifest = manifestOf(locale, JSON.parse(await readFile(file, 'utf8')) as Messages);
      this.emitFile({ type: 'asset', fileName: manifestName(locale), source: JSON.stringify(manifest) });
    }
  },
});
