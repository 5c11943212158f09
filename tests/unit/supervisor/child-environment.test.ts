import { ownServerUrl } from '@sheaf/program/embedded-postgres';
import { limitsInEnvironment } from '@sheaf/supervisor/testing';
import test from 'ava';

const LIMITS = { heapBytes: 300 * 1024 * 1024, blockingThreads: 6 };

test('limits reach a process of Node, and what a person has set goes before them', (t) => {
  t.deepEqual(limitsInEnvironment({}, LIMITS), { NODE_OPTIONS: '--max-old-space-size=300', UV_THREADPOOL_SIZE: '6' });
  const own = { NODE_OPTIONS: '--max-old-space-size=900 --no-warnings', UV_THREADPOOL_SIZE: '64' };
  t.deepEqual(limitsInEnvironment(own, LIMITS), {
    NODE_OPTIONS: '--max-old-space-size=300 --max-old-space-size=900 --no-warnings',
    UV_THREADPOOL_SIZE: '64',
  });
});

test('the embedded database is spoken to without TLS, whatever DATABASE_SSL_MODE says, and has to prove that it knows the password', (t) => {
  t.is(
    ownServerUrl('postgresql://sheaf:p%40ss@127.0.0.1:5433/sheaf'),
    'postgresql://sheaf:p%40ss@127.0.0.1:5433/sheaf?sslmode=disable&require_auth=scram-sha-256',
  );
});
