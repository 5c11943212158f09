import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { startServerProgram } from './server-program.ts';
import {
  makeServedFolder,
  PLAIN_WEBDAV_PASSWORD,
  removeServedFolder,
  WEBDAV_PASSWORD,
  WEBDAV_USER,
  type WebdavFolder,
} from './webdav-folder.ts';

const APACHE = ['/usr/sbin/apache2', '/usr/sbin/httpd'].find((path) => existsSync(path));
const MODULES = ['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules'].find((path) => existsSync(join(path, 'mod_dav_fs.so')));

/** Why there is no mod_dav to test against, or undefined when there is one. */
export const whyNoApacheDav = (): string | undefined =>
  APACHE === undefined || MODULES === undefined ? 'apache2 with mod_dav is not installed' : undefined;

const REALM = 'sheaf';
const NEEDED = ['mpm_event', 'authn_core', 'authz_core', 'authn_file', 'authz_user', 'auth_basic', 'auth_digest', 'mime', 'dav', 'dav_fs'];

const PROVIDERS = { Basic: 'AuthBasicProvider file', Digest: 'AuthDigestProvider file' };

const configuration = (base: string, folder: string, port: number, scheme: 'Basic' | 'Digest'): string => `
ServerRoot ${base}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${base}/apache.pid
ErrorLog ${base}/error.log
Mutex file:${base}/state default
DefaultRuntimeDir ${base}/state
${NEEDED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
TypesConfig /dev/null
StartServers 1
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
DavLockDB ${base}/state/locks
DocumentRoot ${folder}
<Directory ${folder}>
  Dav On
  Options FollowSymLinks
  AuthType ${scheme}
  AuthName ${REALM}
  ${PROVIDERS[scheme]}
  AuthUserFile ${base}/users
  Require valid-user
</Directory>
`;

const userLine = (scheme: 'Basic' | 'Digest'): string =>
  scheme === 'Basic'
    ? `${WEBDAV_USER}:{SHA}${createHash('sha1').update(WEBDAV_PASSWORD).digest('base64')}\n`
    : `${WEBDAV_USER}:${REALM}:${createHash('md5').update(`${WEBDAV_USER}:${REALM}:${PLAIN_WEBDAV_PASSWORD}`).digest('hex')}\n`;

/** Apache with mod_dav: weak ETags, links followed. */
export const openApacheDav = async ({ scheme = 'Basic' }: { readonly scheme?: 'Basic' | 'Digest' } = {}): Promise<WebdavFolder> => {
  if (APACHE === undefined) throw new Error(whyNoApacheDav());
  const { base, folder } = await makeServedFolder('apache');
  await mkdir(join(base, 'state'));
  await chmod(join(base, 'state'), 0o777);
  const port = await freePort();
  await writeFile(join(base, 'users'), userLine(scheme));
  await writeFile(join(base, 'apache.conf'), configuration(base, folder, port, scheme));
  const program = await startServerProgram(APACHE, ['-f', join(base, 'apache.conf'), '-DFOREGROUND'], port);
  return {
    url: `http://127.0.0.1:${port}/`,
    folder,
    // Digest says nothing of letters beyond ASCII, so clients differ.
    password: scheme === 'Basic' ? WEBDAV_PASSWORD : PLAIN_WEBDAV_PASSWORD,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await removeServedFolder(base);
    },
  };
};
