import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { buildWorker } from './build/build-worker.ts';
import { compressFiles, copyPdfFiles, keepLastBuild } from './build/built-files.ts';
import { compileMessages } from './build/compile-messages.ts';
import { writeManifests } from './build/write-manifests.ts';

/**
 * What is loaded together: one file is smaller and sooner there than dozens. Each group takes along all that its modules need, but for what an
 * earlier group has; what only some screens need must not be needed by a module that is named here.
 */
const GROUPS = [
  {
    name: 'base',
    test: /src.(?:main|app.app|app.screens|interface.call|language.language)\.tsx?$|@mantine.core.esm.components.(?:ActionIcon|Anchor|Avatar|Badge|Burger|Button|Card|Checkbox|Collapse|Divider|Group|Indicator|Input|InputBase|Kbd|Loader|NativeSelect|Paper|Progress|SegmentedControl|Skeleton|Stack|Text|TextInput|ThemeIcon|Title|UnstyledButton)[\\/]/,
    priority: 30,
  },
  // before the sign-in
  { name: 'entry', test: /src.screens.(?:sign-in.sign-in|first-run.first-run)\.tsx$/, priority: 20 },
  // around every screen after it, and the one where everybody starts
  { name: 'inside', test: /src.(?:app.inside|screens.documents.documents)\.tsx$/, priority: 10 },
  { name: 'icons', test: /@tabler.icons-react/, minShareCount: 2 },
];

const SERVICE = process.env['SHEAF_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compileMessages(), react(), writeManifests(), buildWorker(), keepLastBuild(), copyPdfFiles(), compressFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: false, // see keepLastBuild
    target: 'es2023',
    // the content security policy allows no data: scripts and few data: pictures
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: GROUPS,
        },
      },
    },
  },
  // `vite` for who works on the client: the service it talks to runs beside it
  server: { proxy: { '/api': SERVICE, '/socket.io': { target: SERVICE, ws: true } } },
});
