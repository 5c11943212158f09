import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ConfigError, loadConfig } from '@sheaf/config';
import { makeGuardedFetch, OutboundError } from '@sheaf/outbound';
import { toSourceError } from '@sheaf/sources/testing';
import test, { type ExecutionContext } from 'ava';
import { makeKeyPair } from '../../support/certificate.ts';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-authority-'));
const usual = getCACertificates('default');
test.after.always(() => {
  setDefaultCACertificates(usual); // other files of this process trust what they did
  rmSync(folder, { recursive: true, force: true });
});

const printsOf = (certificates: readonly string[]): string[] => certificates.map((one) => new X509Certificate(one).fingerprint256);

const load = (environment: Record<string, string>) => loadConfig({ environment: { DATA_PATH: join(folder, 'data'), ...environment } });

const fetch = makeGuardedFetch({ allowedNetworks: ['127.0.0.0/8', '::1'], denyPrivate: false }, { userAgent: 'Sheaf' });

const serve = async (t: ExecutionContext, name: string) => {
  const { key, certificate } = await makeKeyPair(name);
  const server = createServer({ key, cert: certificate }, (_, response) => response.end('well')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, certificate };
};

test.serial(
  'OUTBOUND_CA_FILE lets the process trust a server whose certificate an own CA has signed, and without it the setting is named',
  async (t) => {
    const { url, certificate } = await serve(t, 'localhost');
    const error = await t.throwsAsync(fetch(url), { instanceOf: OutboundError });
    t.is(error.code, 'tls');
    t.regex(error.message, /not signed by a known CA; an administrator can add the CA with OUTBOUND_CA_FILE$/);
    t.notRegex(error.message, /Node\.js|--use-system-ca/);
    t.regex((toSourceError(error) as Error).message, /OUTBOUND_CA_FILE\.$/);

    const file = join(folder, 'ca.pem');
    writeFileSync(file, `# ours\n${(await makeKeyPair('other')).certificate}\n${certificate}\n`);
    const { config } = load({ OUTBOUND_CA_FILE: file });
    t.is(config.outbound.caFile, file);
    t.is((await fetch(url)).status, 200);
    const trusted = printsOf(getCACertificates('default'));
    t.true(
      printsOf(usual).every((print) => trusted.includes(print)),
      'the usual ones are trusted as before',
    );
  },
);

test.serial('a trusted certificate of another host name is refused, with the reason in plain words', async (t) => {
  const { url, certificate } = await serve(t, 'elsewhere.example.org');
  const file = join(folder, 'other.pem');
  writeFileSync(file, certificate);
  load({ OUTBOUND_CA_FILE: file });
  const error = await t.throwsAsync(fetch(url), { instanceOf: OutboundError });
  t.regex(error.message, /its certificate is not for this host name: localhost$/);
});

test('a file without certificates is refused at start by the name of the variable', (t) => {
  const empty = join(folder, 'empty.pem');
  writeFileSync(empty, 'nothing');
  const broken = join(folder, 'broken.pem');
  writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  for (const OUTBOUND_CA_FILE of [empty, broken, '/nowhere/ca.pem']) {
    const { issues } = t.throws(() => load({ OUTBOUND_CA_FILE }), { instanceOf: ConfigError });
    t.deepEqual(
      issues.map(({ variable }) => variable),
      ['OUTBOUND_CA_FILE'],
    );
  }
});
