// Signing in through those who know the users already: an OpenID Connect provider, a SAML 2.0 identity provider, a directory.

import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freePort } from '../../support/free-port.ts';
import { type ApiAlone, apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { addPerson } from '../../support/ldap-people.ts';
import { BASE, openLdapServer, SERVICE_DN, SERVICE_PASSWORD, whyNoLdap } from '../../support/ldap-server.ts';
import { germanText, text } from '../../support/messages.ts';
import { type RunningProvider, startOidcProvider } from '../../support/oidc-provider.ts';
import { type SamlSignInPage, startSamlSignInPage } from '../../support/saml-sign-in-page.ts';
import { SIZES, type Size } from '../../support/web-page.ts';

const CLIENT_SECRET = 'a secret with / and + and %';

interface Federated extends ApiAlone {
  readonly oidc: RunningProvider;
  readonly saml: SamlSignInPage;
}

const noDirectory = whyNoLdap();
if (noDirectory !== undefined) process.stderr.write(`the sign-in through a directory is skipped: ${noDirectory}\n`);

/** The environment of a directory in which `ladislav` is. */
const givenDirectory = async (own: AsyncDisposableStack): Promise<Readonly<Record<string, string>>> => {
  if (noDirectory !== undefined) return {};
  const directory = own.use(await openLdapServer());
  await addPerson(directory, 'ladislav', { password: 'of the directory', mail: 'ladislav@example.org' });
  return {
    AUTH_METHOD: 'ldap',
    LDAP_SERVER: directory.url,
    LDAP_BIND_DN: SERVICE_DN,
    LDAP_BIND_PASSWORD: SERVICE_PASSWORD,
    LDAP_BASE_DN: BASE,
  };
};

const test = testInChromium(async (own): Promise<Federated> => {
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const scope = 'openid profile email rights';
  const redirectUri = `${url}/api/auth/oidc/callback`;
  const oidc = own.use(
    await startOidcProvider([{ client_id: 'sheaf', client_secret: CLIENT_SECRET, redirect_uris: [redirectUri], scope }]),
  );
  for (const name of ['olga', 'otto'])
    oidc.accounts.set(name, { email: `${name}@example.com`, email_verified: true, preferred_username: name, groups: ['writers'] });
  oidc.accounts.set('thief', { email: 'admin@example.org', email_verified: true, preferred_username: 'thief' });
  const acsUrl = `${url}/api/auth/saml/acs`;
  const saml = own.use(await startSamlSignInPage({ acsUrl, audience: `${url}/saml`, account: 'sam' }));
  const folder = own.use(await mkdtempDisposable(join(tmpdir(), 'sheaf-idp-')));
  const metadata = join(folder.path, 'idp.xml');
  await writeFile(metadata, saml.metadata);
  const api = await apiAlone({
    SERVER_ADDRESS: address,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    AUTO_CREATE_USERS: 'true',
    OIDC_ENABLED: 'true',
    OIDC_ISSUER_URL: oidc.issuer,
    OIDC_CLIENT_ID: 'sheaf',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_REDIRECT_URI: redirectUri,
    OIDC_SCOPES: scope,
    OIDC_GROUP_ROLE_MAPPING: '{"writers": "editor"}',
    SAML2_IDP_METADATA_URL: metadata,
    SAML2_SP_ENTITY_ID: `${url}/saml`,
    SAML2_SP_ACS_URL: acsUrl,
    ...(await givenDirectory(own)),
  })(own);
  return { ...api, oidc, saml };
});

const OIDC = text('signIn.oidc');

/** What one does at the OpenID Connect provider the first time. */
const sayWhoAtProvider = async (page: Page, name: string): Promise<void> => {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill(text('search.anyConfidence'));
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: text('signIn.next') }).click();
};

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: text('shell.account') }).click();
  await page.getByRole('menuitem', { name: text('entry.signOut') }).click();
  await page.getByRole('heading', { name: text('signIn.title'), level: 1 }).waitFor();
};

test('OpenID Connect: from the button to the provider and back to the address one wanted, out, and in again', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ elsewhere: [served.oidc.issuer] });
  const { page } = web;
  await web.go('/labels?q=tax');
  t.deepEqual(await web.flaws('sign-in-federated'), []);
  await page.getByRole('link', { name: OIDC }).click();
  await sayWhoAtProvider(page, 'olga');
  await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
  t.is(new URL(page.url()).search, '?q=tax');
  t.is(await page.getByLabel(text('labelPicker.find')).inputValue(), 'tax');
  // the groups have made her one who writes
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .waitFor();
  await signOut(page);
  await page.getByRole('link', { name: OIDC }).click();
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('OpenID Connect: who is refused is told so on the sign-in page, and begins again from there', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ elsewhere: [served.oidc.issuer] });
  const { page } = web;
  const refusedWith = async (words: string): Promise<void> => {
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    t.is(new URL(page.url()).search, '', 'a reload does not tell it again, and no later sign-in leads back to it');
  };
  await web.go('/');
  await page.getByRole('link', { name: OIDC }).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await refusedWith(text('errors.SIGN_IN_REFUSED'));
  t.deepEqual(await web.flaws('sign-in-refused'), []);

  await page.getByRole('link', { name: OIDC }).click();
  await page.getByPlaceholder('Enter any login').waitFor();
  await served.database.pool.query("delete from one_time_tokens where purpose = 'oidc_state'");
  await sayWhoAtProvider(page, 'thief');
  await refusedWith(text('errors.SIGN_IN_EXPIRED'));

  await page.getByRole('link', { name: OIDC }).click();
  await refusedWith(text('errors.ACCOUNT_NOT_KNOWN'));

  await page.getByLabel(text('signIn.username')).fill('admin');
  await page.getByLabel(text('signIn.password'), { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText(text('signIn.wrong')).waitFor();
  t.is(await page.getByRole('alert').count(), 1, 'what is told is told of the last try');
  await page.getByLabel(text('signIn.password'), { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('SAML 2.0 on a telephone, in German: refused, too late, and then in, to where one wanted to go', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ size: 'telephone', language: 'de', elsewhere: [served.saml.origin] });
  const { page } = web;
  const button = page.getByRole('link', { name: germanText('signIn.saml') });
  await web.go('/search?q=steuer');
  t.deepEqual(await web.flaws('sign-in-federated-de'), []);
  await button.click();
  await page.getByRole('button', { name: 'No' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: germanText('errors.SIGN_IN_REFUSED') })
    .waitFor();
  t.is(new URL(page.url()).pathname + new URL(page.url()).search, '/search?q=steuer', 'where he wanted to go is kept');
  t.deepEqual(await web.flaws('sign-in-refused-de'), []);

  await button.click();
  await page.getByRole('button', { name: 'Yes' }).waitFor();
  await served.database.pool.query("delete from one_time_tokens where purpose = 'saml_request'");
  await page.getByRole('button', { name: 'Yes' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: germanText('errors.SIGN_IN_EXPIRED') })
    .waitFor();

  await button.click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('heading', { name: germanText('search.title'), level: 1 }).waitFor();
  t.is(new URL(page.url()).search, '?q=steuer');
  await page.getByRole('button', { name: germanText('shell.account') }).click();
  await page.getByRole('menuitem', { name: germanText('entry.signOut') }).click();
  await page.getByRole('heading', { name: germanText('signIn.title'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});

test('who signs in at their organisation is not asked for a password that nobody has given them', async (t) => {
  const { open, served } = t.context;
  for (const size of Object.keys(SIZES) as Size[]) {
    await using web = await open({ size, elsewhere: [served.oidc.issuer] });
    const { page } = web;
    await web.go('/profile');
    await page.getByRole('link', { name: OIDC }).click();
    await sayWhoAtProvider(page, 'otto');
    await page.getByRole('heading', { name: text('profile.sessions') }).waitFor();
    t.is(await page.getByLabel(text('profile.currentPassword')).count(), 0);
    t.deepEqual(await web.flaws('profile-federated'), []);
  }
});

test('a session from an organisation that ends while one types goes on in another window; what was typed is still there', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ elsewhere: [served.oidc.issuer] });
  const { page } = web;
  await web.go('/labels');
  await page.getByRole('link', { name: OIDC }).click();
  await sayWhoAtProvider(page, 'olga');
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('fields.name'), { exact: true }).fill('Typed with care');
  await served.database.pool.query("update sessions set revoked_at = now() from users where users.id = user_id and username = 'olga'");
  const again = page.getByRole('dialog', { name: text('signIn.again') });
  await again.waitFor();
  t.is(await again.getByLabel(text('signIn.password')).count(), 0);
  t.deepEqual(await web.flaws('sign-in-again-federated'), []);
  await again.getByRole('link', { name: OIDC }).click();
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('fields.name'), { exact: true }).inputValue(), 'Typed with care');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('document.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed with care', exact: true }).waitFor();
  await page.goto('/signed-in'); // what the other window shows
  await page.getByText(text('entry.signedInTitle')).waitFor();
  t.deepEqual(web.offences, []);
});

(noDirectory === undefined ? test : test.skip)('a user of a directory signs in by the form that all others use', async (t) => {
  const { open } = t.context;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.go('/profile');
  await page.getByLabel(text('signIn.username')).fill('ladislav');
  await page.getByLabel(text('signIn.password'), { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText(text('signIn.wrong')).waitFor();
  await page.getByLabel(text('signIn.password'), { exact: true }).fill('of the directory');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('shell.profile'), level: 1 }).waitFor();
  t.is(await page.getByLabel(text('entry.email')).inputValue(), 'ladislav@example.org');
  t.is(await page.getByLabel(text('profile.currentPassword')).count(), 0, 'his password is not kept here');
  t.deepEqual(await web.flaws('profile-directory'), []);
});
