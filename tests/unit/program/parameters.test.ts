import { serverParameters } from '@sheaf/program/testing/embedded-postgres';
import test from 'ava';

const GIGABYTE = 1024 ** 3;
const megabytes = (text: string | undefined): number => Number(/^(\d+)MB$/.exec(text ?? '')?.[1]);

test('memory settings grow with the host between fixed bounds', (t) => {
  const [tiny, usual, huge] = [1, 4, 512].map((gigabytes) =>
    megabytes(serverParameters(gigabytes * GIGABYTE, 512 * GIGABYTE)['shared_buffers']),
  );
  t.deepEqual([tiny, usual, huge], [128, 512, 1_024]);
});

test('it takes no more than it may of a large host, and no more than a small one has', (t) => {
  const [allowed, limited, small] = [
    serverParameters(GIGABYTE, 64 * GIGABYTE),
    serverParameters(2 * GIGABYTE, 64 * GIGABYTE),
    serverParameters(64 * GIGABYTE, 2 * GIGABYTE),
  ];
  t.deepEqual(
    [allowed, limited, small].map((parameters) => parameters['shared_buffers']),
    ['128MB', '256MB', '256MB'],
  );
  t.is(limited['effective_cache_size'], '32768MB', 'what the kernel keeps of files is not ours');
});

test('what keeps data safe is left at its default', (t) => {
  const parameters = serverParameters();
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) t.false(name in parameters, name);
});

test('the server is reachable from this machine alone', (t) => {
  t.like(serverParameters(), { listen_addresses: '127.0.0.1', unix_socket_directories: '' });
});
