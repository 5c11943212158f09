import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compileMessages } from './compile-messages.ts';
import { compressFiles } from './compress-files.ts';
import { copyPdfFiles } from './copy-pdf-files.ts';
import { keepLastBuild } from './keep-last-build.ts';

/**
 * Parts that nearly every screen shows: one file of them is smaller and sooner there than dozens. A part that only some screens have must not be
 * added, as all would load it.
 */
const COMMON_PARTS =
  /@mantine.core.esm.components.(?:ActionIcon|Avatar|Badge|Burger|Button|Card|Collapse|Group|Indicator|Input|InputBase|Kbd|Loader|NativeSelect|Paper|Progress|SegmentedControl|Skeleton|Stack|Text|TextInput|ThemeIcon|Title|UnstyledButton)[\\/]/;

const SERVICE = process.env['SHEAF_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compileMessages(), react(), keepLastBuild(), copyPdfFiles(), compressFiles()],
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
          groups: [
            { name: 'icons', test: /@tabler.icons-react/, minShareCount: 2 },
            { name: 'parts', test: COMMON_PARTS },
          ],
        },
      },
    },
  },
  // `vite` for who works on the client: the service it talks to runs beside it
  server: { proxy: { '/api': SERVICE, '/socket.io': { target: SERVICE, ws: true } } },
});
