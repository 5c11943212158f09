import { isFullRun } from '@sheaf/testkit';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';
import { declareDriverContract, ODD_NAMES, type SourceUnderTest } from './driver-contract.ts';
import { givenS3 } from './given-driver.ts';

const underTest = (server: S3Server, folder: string, prefix?: string): SourceUnderTest => ({
  put: (path, content) => server.put(folder + path, content),
  remove: (path) => server.remove(folder + path),
  driver: (options) => givenS3({ endpointUrl: server.url, prefix, ...options }),
  driverOfNothing: () => givenS3({ endpointUrl: server.url, bucket: 'absent' }),
  driverOfStranger: () => givenS3({ endpointUrl: server.url, accessKeyId: 'SOMEBODY' }),
  [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
});

// It keeps objects in files with a suffix to their names.
const cannotHold = ODD_NAMES.filter((name) => Buffer.byteLength(name) > 230);
// the usual run has it with a prefix, which is more to get wrong
if (isFullRun) declareDriverContract({ name: 's3rver', open: async () => underTest(await openS3Server(), ''), cannotHold });
declareDriverContract({
  name: 's3rver with a prefix',
  cannotHold,
  open: async () => {
    const server = await openS3Server();
    for (const key of ['docs.txt', 'docs 2/a.txt', 'other/a.txt', 'team/docs2.txt']) await server.put(key, 'not of this source');
    return underTest(server, 'team/docs/', '/team/docs');
  },
});
