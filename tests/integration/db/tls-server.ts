import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { type KeyPair, makeKeyPair } from '../../support/certificate.ts';
import { ask, givenData, givenFolder, open } from '../program/given-server.ts';

export interface TlsServer {
  /** As `localhost`, the name in its certificate. Of the superuser. */
  readonly url: string;
  /** Of a user who has to show a certificate of ours. */
  readonly cardedUrl: string;
  /** PEM files: what signed the server, another authority, our certificate and its key, and a key that does not belong to it. */
  readonly files: Readonly<Record<'root' | 'otherRoot' | 'certificate' | 'key' | 'otherKey', string>>;
}

const HBA = `
hostssl all carded all trust clientcert=verify-ca
host all all 127.0.0.1/32 scram-sha-256
`;

/** A PostgreSQL with `ssl=on`. */
export const givenTlsServer = async (t: Parameters<typeof givenFolder>[0]): Promise<TlsServer> => {
  const dataPath = await givenData(t);
  const folder = join(await givenFolder(t), 'tls');
  await mkdir(folder, { mode: 0o755 });
  const [server, client, other] = await Promise.all([makeKeyPair('localhost'), makeKeyPair('sheaf'), makeKeyPair('elsewhere')]);
  const { uid, gid } = await stat(dataPath);
  const write = async (name: string, text: string, mode = 0o644): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode });
    await chown(path, uid, gid);
    return path;
  };
  const pair = async (name: string, { key, certificate }: KeyPair) => ({
    key: await write(`${name}.key`, key, 0o600),
    certificate: await write(`${name}.crt`, certificate),
  });
  const [ofServer, ofClient, ofOther] = [await pair('server', server), await pair('client', client), await pair('other', other)];
  const running = await open(dataPath, {
    extraParameters: {
      fsync: 'off',
      ssl: 'on',
      ssl_cert_file: ofServer.certificate,
      ssl_key_file: ofServer.key,
      ssl_ca_file: ofClient.certificate,
      hba_file: await write('hba.conf', HBA),
    },
  });
  t.teardown(() => running.stop());
  await ask(running.url, 'create role carded login');
  const url = new URL(running.url);
  url.hostname = 'localhost';
  const carded = new URL(url);
  carded.username = 'carded';
  carded.password = '';
  return {
    url: url.href,
    cardedUrl: carded.href,
    files: {
      root: ofServer.certificate,
      otherRoot: ofOther.certificate,
      certificate: ofClient.certificate,
      key: ofClient.key,
      otherKey: ofOther.key,
    },
  };
};

/** The same URL by another name of the host. */
export const atHost = (url: string, host: string): Secret => {
  const other = new URL(url);
  other.hostname = host;
  return new Secret(other.href);
};
