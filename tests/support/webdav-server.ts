import { v2 as webdav } from 'webdav-server';
import { freePort } from './free-port.ts';
import { makeServedFolder, PLAIN_WEBDAV_PASSWORD, removeServedFolder, WEBDAV_USER, type WebdavFolder } from './webdav-folder.ts';

/** The `webdav-server` package: absolute hrefs with a host, no date in some answers, weak typing of nothing. */
export const openWebdavServer = async (): Promise<WebdavFolder> => {
  const { base, folder } = await makeServedFolder('webdav-server');
  const users = new webdav.SimpleUserManager();
  const rights = new webdav.SimplePathPrivilegeManager();
  rights.setRights(users.addUser(WEBDAV_USER, PLAIN_WEBDAV_PASSWORD, false), '/', ['all']);
  const port = await freePort();
  const server = new webdav.WebDAVServer({
    port,
    hostname: '127.0.0.1',
    requireAuthentification: true,
    httpAuthentication: new webdav.HTTPBasicAuthentication(users, 'sheaf'),
    privilegeManager: rights,
  });
  await server.setFileSystemAsync('/', new webdav.PhysicalFileSystem(folder));
  await server.startAsync(port);
  return {
    url: `http://127.0.0.1:${port}/`,
    folder,
    password: PLAIN_WEBDAV_PASSWORD,
    [Symbol.asyncDispose]: async () => {
      await server.stopAsync();
      await removeServedFolder(base);
    },
  };
};
