// What a role may not do is not shown, and what it may do is. That a viewer sees no such way is part of account.test.ts.
import { isFullRun } from '@sheaf/testkit';
import type { Page } from 'playwright-core';
import { type ApiAlone, apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import type { WebPage } from '../../support/web-page.ts';

const PASSWORD = 'correct horse battery';
const ROLES = ['editor', 'auditor', 'admin'] as const;
type Role = (typeof ROLES)[number];

interface WithDocument extends ApiAlone {
  /** The document of the administrator. */
  readonly theirs: string;
}

const test = testInChromium(async (own): Promise<WithDocument> => {
  const api = await apiAlone()(own);
  for (const role of ROLES) await api.admin.register(`one-${role}`, role);
  const { body } = await api.admin.upload({ name: 'paper.txt', bytes: new TextEncoder().encode('some words') });
  await api.admin.post('/api/labels', { name: 'Everybody’s' });
  return { ...api, theirs: String(body['id']) };
});

const WORK = [
  text('shell.documents'),
  text('shell.search'),
  text('shell.savedSearches'),
  text('shell.labels'),
  text('shell.correspondents'),
  text('shell.documentTypes'),
  text('shell.rules'),
  text('shell.sources'),
  text('shell.queue'),
  text('shell.ingest'),
  text('shell.trash'),
  text('shell.notifications'),
];
const WAYS: Readonly<Record<Role, readonly string[]>> = {
  editor: [...WORK, text('shell.analytics')],
  auditor: [
    text('shell.documents'),
    text('shell.search'),
    text('shell.savedSearches'),
    text('shell.ingest'),
    text('shell.notifications'),
    text('shell.analytics'),
    text('shell.audit'),
  ],
  admin: [
    ...WORK,
    text('shell.analytics'),
    text('shell.users'),
    text('shell.health'),
    text('shell.audit'),
    text('shell.imports'),
    text('shell.deliveries'),
    text('shell.system'),
  ],
};

/** Who sees a button of a screen; `:id` is a document of somebody else. */
const BUTTONS: readonly (readonly [path: string, button: string, roles: readonly Role[]])[] = [
  ['/documents', text('uploads.upload'), ['editor', 'admin']],
  ['/documents/:id', text('documents.remove'), ['admin']],
  ['/documents/:id', text('document.editTitle'), ['editor', 'admin']],
  ['/labels', text('labels.create'), ['editor', 'admin']],
  ['/labels', text('labels.removeOf', { name: 'Everybody’s' }), ['editor', 'admin']],
  ['/correspondents', text('filing.create.correspondent'), ['editor', 'admin']],
  ['/document-types', text('filing.create.document_type'), ['editor', 'admin']],
  ['/sources', text('sourceScreen.create'), ['editor', 'admin']],
  ['/queue', text('queue.pause'), ['admin']],
  ['/users', text('users.create'), ['admin']],
  ['/profile', text('profile.newKey'), ['admin']],
];

const waysOf = (page: Page): Promise<string[]> => page.getByRole('navigation').getByRole('link').allTextContents();

const buttonsSeen = async (web: WebPage, id: string): Promise<string[]> => {
  const seen: string[] = [];
  for (const path of new Set(BUTTONS.map(([one]) => one))) {
    await web.walk(path.replace(':id', id));
    for (const [one, name] of BUTTONS)
      if (one === path && (await web.page.getByRole('button', { name, exact: true }).count()) > 0) seen.push(`${path} ${name}`);
  }
  return seen;
};

// an editor may do some of what there is to do, which tells the most
for (const role of isFullRun ? ROLES : (['editor'] as const))
  test(`${role}: the ways to screens and the buttons on them are those of the role, on a telephone too`, async (t) => {
    const { open, served } = t.context;
    const who = { username: `one-${role}`, password: PASSWORD };
    await using web = await open();
    await web.signIn(who);
    await web.go('/documents');
    t.deepEqual(await waysOf(web.page), WAYS[role]);
    t.deepEqual(
      await buttonsSeen(web, served.theirs),
      BUTTONS.filter(([, , roles]) => roles.includes(role)).map(([path, name]) => `${path} ${name}`),
    );
    await using small = await open({ size: 'telephone' });
    await small.signIn(who);
    await small.go('/documents');
    await small.page.getByRole('button', { name: text('shell.menu') }).click();
    await small.page.getByRole('navigation').waitFor();
    t.deepEqual(await waysOf(small.page), WAYS[role]);
    t.deepEqual([...(await small.flaws(`menu-${role}`)), ...web.offences], []);
  });

test('an editor may delete what is theirs, and is offered that for nothing else', async (t) => {
  const { open, served } = t.context;
  const editor = await served.anyone.login('one-editor');
  const { body } = await editor.upload({ name: 'own-paper.txt', bytes: new TextEncoder().encode('his own words') });
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'one-editor', password: PASSWORD });
  await web.go('/documents');
  await web.walk(`/documents/${String(body['id'])}`);
  t.is(await page.getByRole('button', { name: text('documents.remove'), exact: true }).count(), 1);
  await web.walk('/documents');
  const remove = page.getByRole('region', { name: 'selected' }).getByRole('button', { name: text('documents.remove'), exact: true });
  await page.getByRole('checkbox', { name: text('documents.select', { name: 'own-paper' }) }).click();
  await remove.waitFor();
  await page.getByRole('checkbox', { name: text('documents.select', { name: 'paper' }), exact: true }).click();
  await page
    .getByText(text('documents.selected', { count: 2 }))
    .first()
    .waitFor();
  t.is(await remove.count(), 0, 'one of them is somebody else’s');
  await page.locator('[role=row][tabindex="0"]').press('Delete');
  t.is(
    await page
      .getByText(text('documents.selected', { count: 2 }))
      .first()
      .count(),
    1,
    'nor by a key',
  );
  await page.getByRole('checkbox', { name: text('documents.select', { name: 'paper' }), exact: true }).click();
  await page.getByRole('button', { name: text('documents.selectAll', { count: '2' }) }).click();
  await page
    .getByText(text('documents.selected', { count: 2 }))
    .first()
    .waitFor();
  t.is(await remove.count(), 0, 'nor of all of them');
  t.deepEqual(await web.flaws('bulk-editor'), []);

  const { body: label } = await editor.post('/api/labels', { name: 'His own' });
  for (const name of ['his-first.txt', 'his-second.txt'])
    await editor.upload({ name, bytes: new TextEncoder().encode(`the words of ${name}`) }, { labels: String(label['id']) });
  await web.go(`/documents?labels=${String(label['id'])}`);
  await page.getByRole('checkbox', { name: text('documents.select', { name: 'his-first' }) }).click();
  await page.getByRole('button', { name: text('documents.selectAll', { count: '2' }) }).click();
  await remove.click();
  await page.getByText(text('documents.removed', { count: 2 })).waitFor();
});
