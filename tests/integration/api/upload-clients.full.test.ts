// Clients of other languages have the answer to an upload that is too large, as those of Python, curl and Node do.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { testWhere } from '../../support/conditional-test.ts';
import { startApi } from '../../support/running-api.ts';

const CLIENTS = join(import.meta.dirname, '../../fixtures/http-clients');
const MEGABYTES = '120';

const runs = (file: string, argument: string): boolean => {
  try {
    execFileSync(file, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** How often the client was told that the file is too large. */
const refusals = async (
  t: ExecutionContext,
  program: string,
  before: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const api = await startApi({ MAX_FILE_SIZE_MB: '1', ALLOWED_FILE_TYPES: 'txt' });
  t.teardown(() => api.stop());
  const signedIn = await api.anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const address = new URL('/api/documents/upload', api.anyone.url).href;
  const { stdout } = await promisify(execFile)(program, [...before, address, String(signedIn.body['token']), MEGABYTES], {
    env: { ...process.env, ...environment },
  });
  t.log(stdout);
  return stdout.match(/^400 .*too_large/gm)?.length ?? 0;
};

testWhere(runs('javac', '--version'), 'a JDK is missing')('both HTTP clients of Java have the answer, and the next one', async (t) => {
  t.is(await refusals(t, 'java', [join(CLIENTS, 'Upload.java')]), 4);
});

testWhere(runs('go', 'version'), 'go is missing')('the HTTP client of Go has the answer, and the next one', async (t) => {
  await using cache = await mkdtempDisposable(join(tmpdir(), 'sheaf-go-'));
  const environment = { GOCACHE: cache.path, GO111MODULE: 'off', GOFLAGS: '-p=1' };
  t.is(await refusals(t, 'go', ['run', join(CLIENTS, 'upload.go')], environment), 2);
});
