import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { isFullRun } from '@sheaf/testkit';
import { openApacheDav, whyNoApacheDav } from '../../support/apache-dav.ts';
import { openRcloneServer, whyNoRclone } from '../../support/rclone-server.ts';
import { WEBDAV_USER, type WebdavFolder } from '../../support/webdav-folder.ts';
import { openWebdavServer } from '../../support/webdav-server.ts';
import { declareDriverContract, type SourceUnderTest } from './driver-contract.ts';
import { givenWebdav } from './given-driver.ts';

const underTest = (server: WebdavFolder): SourceUnderTest => {
  const credentials = { username: WEBDAV_USER, password: new Secret(server.password) };
  return {
    put: async (path, content) => {
      const target = join(server.folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    },
    remove: (path) => rm(join(server.folder, path)),
    driver: (options) => givenWebdav({ url: server.url, ...credentials, ...options }),
    driverOfNothing: () => givenWebdav({ url: `${server.url}not/there`, ...credentials }),
    driverOfStranger: () => givenWebdav({ url: server.url, username: WEBDAV_USER, password: new Secret('wrong') }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

// It leaves # and ? in addresses as they are, so that such an entry is refused, and does not show names with a backslash.
const CANNOT_SERVE = ['hash#tag.txt', 'what?.txt', 'back\\slash.txt'];
const noApache = whyNoApacheDav();
if (isFullRun || noApache !== undefined)
  declareDriverContract({ name: 'webdav-server', open: async () => underTest(await openWebdavServer()), cannotHold: CANNOT_SERVE });
declareDriverContract({
  name: 'mod_dav with digest',
  open: async () => underTest(await openApacheDav({ scheme: 'Digest' })),
  missing: noApache,
});
if (isFullRun) {
  declareDriverContract({ name: 'rclone', open: async () => underTest(await openRcloneServer()), missing: whyNoRclone() });
  declareDriverContract({ name: 'mod_dav', open: async () => underTest(await openApacheDav()), missing: noApache });
}
