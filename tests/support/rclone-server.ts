import { existsSync } from 'node:fs';
import { freePort } from './free-port.ts';
import { startServerProgram } from './server-program.ts';
import { makeServedFolder, removeServedFolder, WEBDAV_PASSWORD, WEBDAV_USER, type WebdavFolder } from './webdav-folder.ts';

const RCLONE = ['/usr/bin/rclone', '/usr/local/bin/rclone'].find((path) => existsSync(path));

/** Why rclone cannot serve, or undefined when it can. */
export const whyNoRclone = (): string | undefined => (RCLONE === undefined ? 'rclone is not installed' : undefined);

/** `rclone serve webdav`. It shows changes at once, and then lists large folders slowly; or it remembers folders for minutes. */
export const openRcloneServer = async ({ remembersFolders = false } = {}): Promise<WebdavFolder> => {
  if (RCLONE === undefined) throw new Error(whyNoRclone());
  const { base, folder } = await makeServedFolder('rclone');
  const port = await freePort();
  const options = ['--addr', `127.0.0.1:${port}`, '--config', '/dev/null', '--dir-cache-time', remembersFolders ? '5m' : '0s'];
  const args = ['serve', 'webdav', folder, ...options, '--user', WEBDAV_USER, '--pass', WEBDAV_PASSWORD];
  const program = await startServerProgram(RCLONE, args, port);
  return {
    url: `http://127.0.0.1:${port}/`,
    folder,
    password: WEBDAV_PASSWORD,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await removeServedFolder(base);
    },
  };
};
