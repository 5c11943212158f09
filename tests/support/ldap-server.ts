import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'ldapts';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const SLAPD = ['/usr/sbin/slapd', '/usr/libexec/slapd'].find((path) => existsSync(path));
const SCHEMAS = '/etc/ldap/schema';
const MODULES = '/usr/lib/ldap';

/** Why there is no directory to test against, or undefined when there is one. */
export const whyNoLdap = (): string | undefined => (SLAPD === undefined || !existsSync(SCHEMAS) ? 'slapd is not installed' : undefined);

export const BASE = 'dc=example,dc=org';
const ROOT_DN = `cn=root,${BASE}`;
const ROOT_PASSWORD = 'root-password';
/** The account of a service: it may read, and nobody else may. */
export const SERVICE_DN = `cn=sheaf,${BASE}`;
export const SERVICE_PASSWORD = 'service-password';

export type LdapAttributes = Record<string, string | string[]>;

/** A real directory on loopback, with a certificate of an authority of its own. */
export interface LdapServer extends AsyncDisposable {
  readonly url: string;
  readonly secureUrl: string;
  /** PEM file of the authority that signed its certificate. */
  readonly caFile: string;
  /** PEM file of another one. */
  readonly otherCaFile: string;
  add(dn: string, attributes: LdapAttributes): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** An authority, as `<name>.pem` and `<name>.key`. */
const makeAuthority = (folder: string, name: string) =>
  run(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', `/CN=${name}`].concat([
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    ]),
    { cwd: folder },
  );

const makeCertificate = async (folder: string): Promise<void> => {
  await makeAuthority(folder, 'ca');
  await makeAuthority(folder, 'other-ca');
  const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost'];
  await run('openssl', [...request, '-keyout', 'server.key', '-out', 'server.csr'], { cwd: folder });
  await writeFile(join(folder, 'server.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const sign = ['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
  await run('openssl', [...sign, '-extfile', 'server.ext', '-out', 'server.pem'], { cwd: folder });
};

const configuration = (folder: string): string => `
${['core', 'cosine', 'inetorgperson'].map((schema) => `include ${SCHEMAS}/${schema}.schema`).join('\n')}
modulepath ${MODULES}
moduleload back_mdb
moduleload memberof
pidfile ${folder}/slapd.pid
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/server.pem
TLSCertificateKeyFile ${folder}/server.key
TLSVerifyClient never
database mdb
maxsize 16777216
suffix "${BASE}"
rootdn "${ROOT_DN}"
rootpw ${ROOT_PASSWORD}
directory ${folder}/data
overlay memberof
memberof-refint TRUE
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SERVICE_DN}" read by anonymous auth by * none
`;

class RunningSlapd implements LdapServer {
  readonly url: string;
  readonly secureUrl: string;
  readonly caFile: string;
  readonly otherCaFile: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number, securePort: number) {
    this.#folder = folder;
    this.url = `ldap://127.0.0.1:${port}`;
    this.secureUrl = `ldaps://127.0.0.1:${securePort}`;
    this.caFile = join(folder, 'ca.pem');
    this.otherCaFile = join(folder, 'other-ca.pem');
  }

  async start(): Promise<void> {
    const addresses = `${this.url} ${this.secureUrl}`;
    this.#child = spawn(SLAPD ?? '', ['-f', join(this.#folder, 'slapd.conf'), '-h', addresses, '-d', '0'], { stdio: 'ignore' });
    await waitFor(async () => (await this.#canBind()) || undefined, { description: 'slapd to answer', limitMs: 60_000 });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async add(dn: string, attributes: LdapAttributes): Promise<void> {
    const client = new Client({ url: this.url, timeout: 10_000 });
    try {
      await client.bind(ROOT_DN, ROOT_PASSWORD);
      await client.add(dn, attributes);
    } finally {
      await client.unbind();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #canBind(): Promise<boolean> {
    const client = new Client({ url: this.url, timeout: 1_000, connectTimeout: 1_000 });
    try {
      await client.bind(ROOT_DN, ROOT_PASSWORD);
      await client.unbind();
      return true;
    } catch {
      return false; // not there yet
    }
  }
}

/** Starts slapd with a service account, and places for people and groups. */
export const openLdapServer = async (): Promise<LdapServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-ldap-'));
  await mkdir(join(folder, 'data'));
  await makeCertificate(folder);
  await writeFile(join(folder, 'slapd.conf'), configuration(folder));
  const server = new RunningSlapd(folder, await freePort(), await freePort());
  await server.start();
  await server.add(BASE, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' });
  await server.add(SERVICE_DN, { objectClass: ['person'], cn: 'sheaf', sn: 'sheaf', userPassword: SERVICE_PASSWORD });
  for (const ou of ['people', 'groups', 'more']) await server.add(`ou=${ou},${BASE}`, { objectClass: ['organizationalUnit'], ou });
  return server;
};
