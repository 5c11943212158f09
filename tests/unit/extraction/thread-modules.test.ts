import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');
const TASK = join(ROOT, 'packages/extraction/src/document-thread/document-task.ts');
/** Prints the addresses of all modules that importing the argument loads. */
const SCRIPT = `
  const { registerHooks } = require('node:module');
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
  import(process.argv[1]);
`;

test('a thread that reads a document loads no schemas of the interface, no logger, no metrics and no tracing library', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, TASK], { maxBuffer: 8 * 1024 * 1024 });
  const loaded = stdout.trim().split('\n');
  t.true(loaded.some((url) => url.includes('/packages/extraction/')));
  const NOT_NEEDED = /\/(?:pino|pino-pretty|prom-client)\/|@opentelemetry|\/packages\/contract\/src\/(?:interface|errors)\.ts/;
  t.deepEqual(
    loaded.filter((url) => NOT_NEEDED.test(url)),
    [],
  );
});
