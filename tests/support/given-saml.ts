import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { SamlDriver, type SamlSettings } from '@sheaf/accounts';
import { type Clock, silentLogger, systemClock } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { type KeyPair, makeKeyPair } from './certificate.ts';
import { LOOPBACK_FETCH } from './given-oidc.ts';
import { idpMetadata, type ResponseFacts } from './saml-provider.ts';

export const ACS_URL = 'https://sheaf.example/api/auth/saml/acs';
export const SERVICE = 'https://sheaf.example/saml';

export interface GivenSaml extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly idp: KeyPair;
  readonly own: KeyPair;
  readonly ownFiles: Pick<SamlSettings, 'certificateFile' | 'privateKeyFile'>;
  readonly metadataUrl: string;
  /** What the provider's address answers. */
  served: { metadata: string; asked: string[] };
  readonly driver: (settings?: Partial<SamlSettings>, clock?: Clock) => SamlDriver;
}

export interface BegunSignIn {
  readonly driver: SamlDriver;
  readonly cookie: string;
  readonly facts: ResponseFacts;
}

/** A sign-in up to where the provider answers. */
export const begin = async (
  { driver }: GivenSaml,
  settings: Partial<SamlSettings> = {},
  returnTo?: string,
  clock?: Clock,
): Promise<BegunSignIn> => {
  const ours = driver(settings, clock);
  const { url, cookie } = await ours.start(returnTo);
  const request = inflateRawSync(Buffer.from(new URL(url).searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const requestId = / ID="([^"]+)"/.exec(request)?.[1] ?? '';
  return { driver: ours, cookie: cookie.value, facts: { requestId, acsUrl: ACS_URL, audience: SERVICE } };
};

/** An identity provider, its metadata behind an address, a database, and drivers that know them. */
export const givenSaml = async (): Promise<GivenSaml> => {
  const [database, idp, own] = await Promise.all([openTestDatabase(), makeKeyPair('idp'), makeKeyPair('sheaf')]);
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-saml-'));
  const ownFiles = { certificateFile: join(folder, 'own.crt'), privateKeyFile: join(folder, 'own.key') };
  await Promise.all([writeFile(ownFiles.certificateFile, own.certificate), writeFile(ownFiles.privateKeyFile, own.key)]);
  const served = { metadata: idpMetadata([idp]), asked: [] as string[] };
  const server = createServer((request, response) => {
    served.asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/xml' }).end(served.metadata);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
  const defaults: SamlSettings = {
    metadata: metadataUrl,
    entityId: SERVICE,
    acsUrl: ACS_URL,
    certificateFile: undefined,
    privateKeyFile: undefined,
    attributes: {},
  };
  return {
    database,
    idp,
    own,
    ownFiles,
    metadataUrl,
    served,
    driver: (settings = {}, clock = systemClock) =>
      new SamlDriver({ settings: { ...defaults, ...settings }, fetch: LOOPBACK_FETCH, db: database.db, clock, log: silentLogger() }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
      await database[Symbol.asyncDispose]();
    },
  };
};
