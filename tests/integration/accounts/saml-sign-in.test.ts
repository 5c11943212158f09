// Signing in through a SAML 2.0 identity provider: who comes out of it, and what the provider learns of us.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExternalIdentity } from '@sheaf/accounts';
import anyTest, { type TestFn } from 'ava';
import { makeKeyPair } from '../../support/certificate.ts';
import { ACS_URL, begin, type GivenSaml, givenSaml, SERVICE } from '../../support/given-saml.ts';
import {
  encode,
  IDP_ENTITY,
  idpMetadata,
  libraryResponse,
  readRequest,
  responseXml,
  signAssertion,
  signResponse,
} from '../../support/saml-provider.ts';

const test = anyTest as TestFn<GivenSaml>;
let given: GivenSaml;
test.before(async () => {
  given = await givenSaml();
});
test.beforeEach((t) => {
  t.context = given;
});
test.after.always(() => given[Symbol.asyncDispose]());

const ATTRIBUTES = { uid: ['ann'], mail: ['ann@example.com'], displayName: ['Ann Archer'], groups: ['staff', 'cn=board,dc=x'] };

test('a user of the provider comes back with what it says of them', async (t) => {
  const { driver, cookie, facts } = await begin(t.context, {}, '/documents');
  const response = encode(signAssertion(responseXml({ ...facts, attributes: ATTRIBUTES }), t.context.idp));
  const { identity, returnTo } = await driver.finish(response, cookie);
  t.is(returnTo, '/documents');
  t.deepEqual(identity, {
    method: 'saml2',
    externalId: `${IDP_ENTITY}|ann-1`,
    username: 'ann',
    email: 'ann@example.com',
    emailVerified: false,
    displayName: 'Ann Archer',
    groups: ['staff', 'cn=board,dc=x'],
  } satisfies ExternalIdentity);
});

test('the attributes of SAML2_ATTRIBUTE_MAPPING are read, and the address of one named there counts as verified', async (t) => {
  const attributes = { username: 'urn:x:login', email: 'urn:x:mail', name: 'urn:x:cn', groups: 'urn:x:groups' };
  const sent = { ...ATTRIBUTES, 'urn:x:login': ['root'], 'urn:x:mail': ['root@example.com'], 'urn:x:cn': ['Root'], 'urn:x:groups': ['g'] };
  const { driver, cookie, facts } = await begin(t.context, { attributes });
  const { identity } = await driver.finish(encode(signAssertion(responseXml({ ...facts, attributes: sent }), t.context.idp)), cookie);
  t.deepEqual(
    [identity.username, identity.email, identity.emailVerified, identity.displayName, identity.groups],
    ['root', 'root@example.com', true, 'Root', ['g']],
  );
});

test('a user whose mapped name is missing, or whom nothing names for long, is refused', async (t) => {
  const mapped = await begin(t.context, { attributes: { username: 'urn:x:login' } });
  const unnamed = encode(signAssertion(responseXml({ ...mapped.facts, attributes: ATTRIBUTES }), t.context.idp));
  await t.throwsAsync(mapped.driver.finish(unnamed, mapped.cookie), { code: 'SIGN_IN_REFUSED' });
  const passing = await begin(t.context);
  const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
  const transient = encode(signAssertion(responseXml({ ...passing.facts, nameIdFormat }), t.context.idp));
  await t.throwsAsync(passing.driver.finish(transient, passing.cookie), { code: 'SIGN_IN_REFUSED' });
});

test('a response that is signed as well, outside its signed assertion, is taken', async (t) => {
  const { driver, cookie, facts } = await begin(t.context);
  const response = encode(signResponse(signAssertion(responseXml(facts), t.context.idp), t.context.idp));
  t.is((await driver.finish(response, cookie)).identity.externalId, `${IDP_ENTITY}|ann-1`);
});

test('the provider can read our metadata and our signed request, and answers encrypted', async (t) => {
  const { driver, cookie, facts } = await begin(t.context, t.context.ownFiles);
  const metadata = await driver.metadata();
  t.true(metadata.includes(`entityID="${SERVICE}"`) && metadata.includes(`Location="${ACS_URL}"`));
  t.regex(metadata, /WantAssertionsSigned="true"/);
  const { url } = await driver.start();
  t.truthy(new URL(url).searchParams.get('Signature'));
  t.regex(await readRequest(t.context.idp, metadata, url), /^_[\da-f]{40}$/);
  await t.throwsAsync(readRequest(t.context.idp, metadata, url.replace('SAMLRequest=', 'SAMLRequest=AA')), undefined, 'it does check');
  const response = await libraryResponse(t.context.idp, metadata, { ...facts, attributes: ATTRIBUTES }, true);
  t.regex(Buffer.from(response, 'base64').toString(), /EncryptedAssertion/);
  t.false(Buffer.from(response, 'base64').toString().includes('ann@example.com'));
  t.is((await driver.finish(response, cookie)).identity.username, 'ann');
});

test('without a key of our own the metadata say so, and the library of the provider still answers', async (t) => {
  const { driver, cookie, facts } = await begin(t.context);
  const metadata = await driver.metadata();
  t.false(metadata.includes('KeyDescriptor'));
  const response = await libraryResponse(t.context.idp, metadata, facts, false);
  t.is((await driver.finish(response, cookie)).identity.externalId, `${IDP_ENTITY}|ann-1`);
});

test('both certificates of a provider that changes its key are good', async (t) => {
  const next = await makeKeyPair('next');
  const file = join(t.context.ownFiles.privateKeyFile ?? '', '../two.xml');
  await writeFile(file, idpMetadata([t.context.idp, next]));
  for (const pair of [t.context.idp, next]) {
    const { driver, cookie, facts } = await begin(t.context, { metadata: file });
    t.truthy((await driver.finish(encode(signAssertion(responseXml(facts), pair)), cookie)).identity);
  }
});

test('a new certificate is found by the first answer it signed, and asked for at most once a minute', async (t) => {
  const next = await makeKeyPair('next');
  const file = join(t.context.ownFiles.privateKeyFile ?? '', '../rollover.xml');
  await writeFile(file, idpMetadata([t.context.idp]));
  let now = Date.now();
  const clock = { now: () => new Date(now) };
  const first = await begin(t.context, { metadata: file }, undefined, clock);
  await writeFile(file, idpMetadata([next]));
  const response = encode(signAssertion(responseXml(first.facts), next));
  await t.throwsAsync(first.driver.finish(response, first.cookie), { code: 'SIGN_IN_INVALID' }, 'read a moment ago');
  now += 60_000;
  t.truthy((await first.driver.finish(response, first.cookie)).identity);
});

test('a key that is not that of the certificate, or cannot be read, ends the start', (t) => {
  const { ownFiles } = t.context;
  t.throws(() => t.context.driver({ ...ownFiles, privateKeyFile: '/nowhere' }), { message: /SAML2_SP_PRIVATE_KEY/ });
  t.throws(() => t.context.driver({ ...ownFiles, certificateFile: ownFiles.privateKeyFile }), { message: /SAML2_SP_X509_CERT/ });
});

for (const [title, change] of [
  [
    'of several providers',
    (xml: string) => `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${xml}${xml}</md:EntitiesDescriptor>`,
  ],
  ['with a type declaration', (xml: string) => `<!DOCTYPE x [<!ENTITY a "b">]>${xml}`],
  ['that are over', (xml: string) => xml.replace('<EntityDescriptor ', '<EntityDescriptor validUntil="2020-01-01T00:00:00Z" ')],
  ['that lead to no web address', (xml: string) => xml.replaceAll('https://idp.example/sign-in', 'javascript:alert(1)')],
  ['without certificate', (xml: string) => xml.replaceAll(/<KeyDescriptor.*?<\/KeyDescriptor>/gs, '')],
  ['with a certificate that is none', (xml: string) => xml.replace(/<ds:X509Certificate>......../, '<ds:X509Certificate>AAAAAAAA')],
  ['of no provider', () => '<html/>'],
  ['that are too long', (xml: string) => xml + ' '.repeat(3 * 1024 * 1024)],
] as const) {
  test(`metadata ${title} are refused`, async (t) => {
    const good = idpMetadata([t.context.idp]);
    const changed = change(good);
    t.not(changed, good);
    const file = join(t.context.ownFiles.privateKeyFile ?? '', `../${title.replaceAll(' ', '-')}.xml`);
    await writeFile(file, changed);
    await t.throwsAsync(t.context.driver({ metadata: file }).start(), { code: 'SERVICE_UNAVAILABLE' });
  });
}

test('metadata behind an address are asked for once a day', async (t) => {
  const { served, metadataUrl } = t.context;
  let now = Date.now();
  const driver = t.context.driver({ metadata: `${metadataUrl}/daily` }, { now: () => new Date(now) });
  const asked = () => served.asked.filter((path) => path.endsWith('/daily')).length;
  await driver.start();
  now += 23 * 60 * 60_000;
  await driver.start();
  t.is(asked(), 1);
  now += 60 * 60_000;
  await driver.start();
  t.is(asked(), 2);
});
