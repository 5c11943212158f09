import { announcement } from '@sheaf/supervisor/testing';
import test from 'ava';

const ready = (probe_host: string, notices: string[] = []) => ({ type: 'ready' as const, probe_host, probe_port: 8080, notices });

for (const [host, url] of [
  ['0.0.0.0', 'http://localhost:8080'],
  ['::', 'http://localhost:8080'],
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
  ['docs.example.org', 'http://docs.example.org:8080'],
] as const) {
  test(`an api on ${host} is announced as ${url}`, (t) => {
    t.deepEqual(announcement([{ name: 'api', readiness: ready(host) }]), [`Sheaf listens on ${url}`]);
  });
}

test('notices follow in the order of the children', (t) => {
  const children = [
    { name: 'api', readiness: ready('::', ['first', 'second']) },
    { name: 'sync', readiness: undefined },
    { name: 'watcher', readiness: ready('::', ['third']) },
  ];
  t.deepEqual(announcement(children).slice(1), ['first', 'second', 'third']);
});

test('a process that crashes at its start is named, and without the api no address is', (t) => {
  const children = [
    { name: 'api', readiness: undefined, failure: 'api crashed 3 times in a row' },
    { name: 'sync', readiness: ready('::', ['notice']) },
  ];
  t.deepEqual(announcement(children), ['Sheaf is running, but some processes are not ready', 'api crashed 3 times in a row', 'notice']);
});

test('without an api it is said that everything is up', (t) => {
  t.deepEqual(announcement([]), ['Sheaf is running']);
});
