import { createHash } from 'node:crypto';
import { makeProblem } from '@sheaf/contract/operations';
import { uuidv7 } from '@sheaf/process';
import { recordHeartbeat } from '@sheaf/program';
import { testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();

/** As programs and storages word their errors. */
const SECRET = '/srv/sheaf/uploads: EACCES, tesseract 5.3.0';
const HOSTILE = `no room <script>alert("x")</script> & 'more'`;

test.serial('a person in a terminal gets lines, one in a browser a page', async (t) => {
  const { anyone, admin, database } = t.context;
  await admin.upload({ name: 'my secret name.txt', bytes: new TextEncoder().encode('a') });
  const now = new Date();
  await recordHeartbeat(
    database.db,
    {
      id: uuidv7(),
      name: 'ocr-worker',
      pid: 1,
      host: 'here',
      version: '1.2.3',
      configHash: '',
      probePort: 1,
      holdsLock: false,
      status: 'warning',
      components: { 'job-slots': { status: 'warning', message: SECRET } },
      facts: { instance: 2, probe_host: '127.0.0.1', config_since: now.toISOString() },
      memoryBytes: 50 * 1024 ** 2,
      startedAt: now,
    },
    now,
  );
  const watcher = { name: 'watcher', components: { stored_files: { status: 'warning' as const, message: HOSTILE } } };
  await recordHeartbeat(
    database.db,
    {
      id: uuidv7(),
      pid: 2,
      host: 'there',
      version: '1.2.4',
      configHash: '',
      probePort: 2,
      holdsLock: false,
      status: 'warning',
      facts: { instance: 0, probe_host: '127.0.0.1', config_since: now.toISOString() },
      memoryBytes: 1,
      startedAt: now,
      ...watcher,
    },
    now,
  );
  const lines = await waitFor(
    async () => {
      const response = await anyone.request('/status', { headers: { accept: '*/*' } });
      t.regex(response.headers.get('content-type') ?? '', /^text\/plain/);
      const text = await response.text();
      return text.includes(HOSTILE) && text;
    },
    { description: 'the finding to be told', limitMs: 20_000 },
  );
  t.regex(lines, /^Sheaf: warning$/m);
  t.regex(lines, /^documents +1$/m);
  t.regex(lines, /^queue +1 pending, 0 processing, 0 failed, 0 completed$/m);
  t.regex(lines, /^host 1 +1 process, 0 of 0 documents in progress$/m, 'hosts have numbers, no names');
  t.regex(lines, /^host 2 +1 process, 0 of 0 documents in progress, other version$/m);
  t.regex(lines, /^ocr-worker\.2 +warning, up \d+ s, 50 MB$/m);

  const response = await anyone.request('/status', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  t.regex(response.headers.get('content-type') ?? '', /^text\/html/);
  t.is(response.headers.get('vary')?.toLowerCase().includes('accept'), true);
  const page = await response.text();
  t.true(page.includes('no room &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;more&#39;'));
  t.notRegex(page, /<script|secret name/);
  const strangers = [lines, page, await (await anyone.request('/api/health')).text(), await (await anyone.request('/ready')).text()];
  for (const text of strangers) {
    t.notRegex(text, /srv|EACCES|tesseract|1\.2\.[34]/);
    t.regex(text, new RegExp(makeProblem('ocr_worker_problem').message));
  }
  t.true(JSON.stringify((await admin.get('/api/health/detailed')).body).includes(SECRET));
  t.regex(page, /http-equiv="refresh"/);
  const policy = response.headers.get('content-security-policy') ?? '';
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
  t.true(
    policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`),
    'the policy allows the style of the page',
  );
  t.true(policy.startsWith("default-src 'none'"));
});
