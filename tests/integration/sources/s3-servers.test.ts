import { isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';
import { declareDriverContract, ODD_NAMES, type SourceUnderTest } from './driver-contract.ts';
import { givenS3 } from './given-driver.ts';

// One server for all tests with a prefix, each of which has a prefix of its own.
let shared: S3Server;
test.before(async () => {
  shared = await openS3Server();
});
test.after.always(() => shared[Symbol.asyncDispose]());

const underTest = (server: S3Server, folder: string, prefix?: string): Omit<SourceUnderTest, keyof AsyncDisposable> => ({
  put: (path, content) => server.put(folder + path, content),
  remove: (path) => server.remove(folder + path),
  driver: (options) => givenS3({ endpointUrl: server.url, prefix, ...options }),
  driverOfNothing: () => givenS3({ endpointUrl: server.url, bucket: 'absent' }),
  driverOfStranger: () => givenS3({ endpointUrl: server.url, accessKeyId: 'SOMEBODY' }),
});

// It keeps objects in files with a suffix to their names.
const cannotHold = ODD_NAMES.filter((name) => Buffer.byteLength(name) > 230);
// the usual run has it with a prefix, which is more to get wrong
if (isFullRun)
  declareDriverContract({
    name: 's3rver',
    cannotHold,
    open: async () => {
      const server = await openS3Server();
      return { ...underTest(server, ''), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  });

let places = 0;
declareDriverContract({
  name: 's3rver with a prefix',
  cannotHold,
  open: async () => {
    const place = `place-${(places += 1)}/`;
    for (const key of ['docs.txt', 'docs 2/a.txt', 'other/a.txt', 'team/docs2.txt', 'team/docs 2/a.txt'])
      await shared.put(place + key, 'not of this source');
    return { ...underTest(shared, `${place}team/docs/`, `/${place}team/docs`), [Symbol.asyncDispose]: () => shared.clear(place) };
  },
});
