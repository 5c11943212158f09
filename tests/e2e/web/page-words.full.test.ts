import { drawLines, drawScan, makePdf } from '@sheaf/testkit';
import type { Page } from 'playwright-core';
import { READING_ALONE } from '../../support/given-service.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const LINES = ['The theodolite stands', 'beside the quadrant', 'in the harbour'];
const TEXT = 'The enclosed copy belongs to this letter';

const test = testInChromium(async (own) => {
  const whole = await wholeService({}, READING_ALONE)(own);
  const admin = await whole.anyone.register('admin');
  const scan = await drawScan(LINES);
  const files = {
    pdf: new Uint8Array(makePdf([{ picture: scan }])),
    illustrated: new Uint8Array(makePdf([{ lines: [TEXT], picture: scan }])),
    png: new Uint8Array(await drawLines(LINES).png().toBuffer()),
  };
  const ids = new Map<string, string>();
  for (const [name, bytes] of Object.entries(files)) {
    const { body } = await admin.upload({ name: `${name}.${name === 'png' ? 'png' : 'pdf'}`, bytes });
    ids.set(name, String(body['id']));
  }
  for (const id of ids.values()) await admin.waitForEnd(id);
  return { ...whole, idOf: (name: keyof typeof files) => ids.get(name) ?? '' };
});

/** Where the one mark of the preview is, in parts of its page. */
const markIn = async (page: Page, pageOf: string): Promise<{ readonly text: string; readonly x: number; readonly y: number }> => {
  const preview = page.getByRole('group', { name: text('document.preview') });
  const mark = preview.locator('.page-words mark');
  await mark.waitFor();
  const frame = preview.locator(pageOf);
  // the picture gets its size when it is there
  await waitFor(async () => ((await frame.boundingBox())?.height ?? 0) > 100, { description: 'the page to be shown', limitMs: 20_000 });
  const [inner, outer] = [await mark.boundingBox(), await frame.boundingBox()];
  if (inner === null || outer === null) throw new Error('nothing is shown');
  return {
    text: (await mark.textContent()) ?? '',
    x: (inner.x + inner.width / 2 - outer.x) / outer.width,
    y: (inner.y + inner.height / 2 - outer.y) / outer.height,
  };
};

for (const [name, pageOf] of [
  ['pdf', 'canvas'],
  ['png', 'img'],
] as const)
  test(`a hit on a scanned ${name} is marked where it stands, and its words can be selected`, async (t) => {
    const { open, served } = t.context;
    await using web = await open();
    const { page } = web;
    await web.signIn(ADMIN);
    await web.go(`/documents/${served.idOf(name)}?page=1&q=quadrant`);
    const mark = await markIn(page, pageOf);
    t.is(mark.text, 'quadrant');
    t.true(mark.x > 0.2 && mark.x < 0.5 && mark.y > 0.4 && mark.y < 0.6, JSON.stringify(mark));
    await page.locator('.page-words mark').dblclick();
    t.is((await page.evaluate(() => String(getSelection()))).trim(), 'quadrant');
    const words = await page.locator('.page-words').evaluate((element) => {
      getSelection()?.selectAllChildren(element);
      return String(getSelection());
    });
    t.deepEqual(
      words.split('\n').map((line) => line.trim()),
      LINES,
    );
    t.deepEqual(web.offences, []);
  });

test('a hit in a picture beside a text layer is marked, and the words of the layer are there once', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${served.idOf('illustrated')}?page=1&q=quadrant`);
  const mark = await markIn(page, 'canvas');
  t.true(mark.text === 'quadrant' && mark.y > 0.5, JSON.stringify(mark));
  t.false(((await page.locator('.page-words').textContent()) ?? '').includes('enclosed'));
  await page.locator('.pdf-text span', { hasText: 'enclosed' }).waitFor();
  t.deepEqual(web.offences, []);
});
