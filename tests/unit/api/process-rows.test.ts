import { processesHealth, sortProcesses } from '@sheaf/api/testing';
import { warning } from '@sheaf/contract/operations';
import type { ProcessRow } from '@sheaf/db/schema';
import test from 'ava';

const NOW = new Date('2026-01-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

interface Given {
  readonly name: string;
  readonly instance?: number;
  readonly version?: string;
  readonly hash?: string;
  readonly upSeconds?: number;
  readonly configSeconds?: number;
  readonly silentSeconds?: number;
}

const row = ({ name, instance = 0, version = '2.0.0', hash = 'a', upSeconds = 600, configSeconds = upSeconds, silentSeconds = 1 }: Given) =>
  ({
    name,
    version,
    configHash: hash,
    startedAt: ago(upSeconds),
    seenAt: ago(silentSeconds),
    facts: { instance, probe_host: '127.0.0.1', config_since: ago(configSeconds).toISOString() },
  }) as unknown as ProcessRow;

const healthOf = (...given: Given[]) => processesHealth(sortProcesses(given.map(row), NOW), NOW);
const API: Given = { name: 'api' };

test('processes of one version with one configuration are well', (t) => {
  t.deepEqual(healthOf(API, { name: 'watcher' }, { name: 'ocr-worker', instance: 2 }), { status: 'healthy' });
});

test('another version is a warning that says whom to restart: the one that was there before', (t) => {
  t.deepEqual(
    healthOf(API, { name: 'ocr-worker', instance: 2, version: '1.9.0', upSeconds: 9_000 }),
    warning('process_version_differs', { process: 'ocr-worker.2', restart: 'ocr-worker.2' }),
  );
  t.deepEqual(
    healthOf({ ...API, upSeconds: 9_000 }, { name: 'sync', version: '2.1.0' }),
    warning('process_version_differs', { process: 'sync', restart: 'api' }),
  );
});

test('another configuration is a warning as well', (t) => {
  t.deepEqual(
    healthOf(API, { name: 'watcher', hash: 'b', upSeconds: 700 }),
    warning('process_configuration_differs', { process: 'watcher', restart: 'watcher' }),
  );
});

test('a restart in progress is none, nor a setting on its way', (t) => {
  const old: Given = { name: 'watcher', version: '1.9.0' };
  t.is(healthOf({ ...API, upSeconds: 59 }, old).status, 'healthy');
  t.is(healthOf({ ...API, upSeconds: 60 }, old).status, 'warning');
  t.is(healthOf(API, { ...old, upSeconds: 59 }).status, 'healthy');
  t.is(healthOf({ ...API, hash: 'b', configSeconds: 59 }, { name: 'watcher' }).status, 'healthy');
  t.is(healthOf({ ...API, hash: 'b', configSeconds: 60 }, { name: 'watcher' }).status, 'warning');
});

test('each finding is told once, however many rows there are', (t) => {
  const { problems } = healthOf(API, { name: 'watcher', hash: 'b' }, { name: 'watcher', hash: 'b' }, { name: 'sync', version: '1' });
  t.deepEqual(
    problems?.map(({ code }) => code),
    ['process_version_differs', 'process_configuration_differs'],
  );
});

test('a process that went without a word is reported until another takes its place', (t) => {
  const gone: Given = { name: 'ocr-worker', instance: 1, silentSeconds: 20 };
  t.deepEqual(healthOf(API, gone), warning('process_silent', { process: 'ocr-worker.1', last_heartbeat_at: '2026-01-01T11:59:40.000Z' }));
  t.is(healthOf(API, gone, { name: 'ocr-worker', instance: 2 }).status, 'warning');
  t.is(healthOf(API, { name: 'ocr-worker', instance: 1, upSeconds: 5 }, gone).status, 'healthy');
});

test('the row of a version that tells less is read as well', (t) => {
  const { running } = sortProcesses([{ ...row(API), facts: { storages: [] } }], NOW);
  t.like(running[0], { instance: 0, probeHost: '127.0.0.1', configSince: ago(600) });
});
