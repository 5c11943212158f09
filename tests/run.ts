// Runs the tests: one PostgreSQL for all of them, a migrated template in it, then ava with the files given (or all).
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { Secret } from '@sheaf/contract';
import { migrateUp, readMigrations } from '@sheaf/db';
import { openPostgresServer, type PostgresServer } from '@sheaf/embedded-postgres';
import { makeLogger } from '@sheaf/runtime';
import { TEMPLATE_DATABASE, TEST_CLUSTER_VARIABLE } from '@sheaf/testkit';
import { Client } from 'pg';

/** Nothing in a test cluster has to survive a power cut. */
const FAST_AND_LOOSE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

const makeTemplate = async (url: URL): Promise<void> => {
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE_DATABASE}`);
  await admin.end();
  const template = new URL(url);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  const client = new Client({ connectionString: template.href });
  await client.connect();
  await migrateUp(client, await readMigrations());
  await client.end();
};

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs ava, passes its report on and reads the totals at its end. */
const runAva = (files: readonly string[], clusterUrl: string): Promise<{ exitCode: number; totals: Totals }> => {
  const concurrency = String(Math.max(2, availableParallelism()));
  const ava = spawn(
    process.execPath,
    [join(import.meta.dirname, 'node_modules/ava/entrypoints/cli.js'), '--concurrency', concurrency, ...files],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, [TEST_CLUSTER_VARIABLE]: clusterUrl },
    },
  );
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  createInterface({ input: ava.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const text = stripVTControlCharacters(line);
    // ava counts what passed only where nothing failed
    if (/^\s+✔ /.test(text)) totals.passed += 1;
    const [, count = '', what] = /^\s+(\d+) (?:tests? |uncaught |unhandled )?(failed|skipped|exceptions?|rejections?)$/.exec(text) ?? [];
    if (what === 'skipped') totals.skipped = Number(count);
    else if (what !== undefined) totals.failed += Number(count);
  });
  return new Promise((resolve) => ava.once('close', (code) => resolve({ exitCode: code ?? 1, totals })));
};

const folder = await mkdtemp(join(tmpdir(), 'sheaf-tests-'));
await chmod(folder, 0o755); // the database may run as another OS user
let server: PostgresServer | undefined;
try {
  server = await openPostgresServer({
    dataPath: join(folder, 'postgres'),
    port: 0,
    password: new Secret(randomBytes(16).toString('hex')),
    log: makeLogger({ level: 'warn', format: 'text' }, 'tests'),
    extraParameters: FAST_AND_LOOSE,
  });
  await makeTemplate(new URL(server.url));
  const { exitCode, totals } = await runAva(process.argv.slice(2), server.url);
  process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
  process.exitCode = exitCode;
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
