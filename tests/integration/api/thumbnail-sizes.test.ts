import { join } from 'node:path';
import { THUMBNAIL_SIZES } from '@sheaf/storage';
import { drawLines } from '@sheaf/testkit';
import sharp from 'sharp';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ ALLOWED_FILE_TYPES: 'png' });

/** A picture of 1,500 by 3,000 pixels. */
const given = async ({ admin }: RunningApi): Promise<{ id: string; sha256: string }> => {
  const bytes = await drawLines([String(Math.random())])
    .resize(1_500, 3_000, { fit: 'fill' })
    .png()
    .toBuffer();
  const { status, body } = await admin.upload({ name: 'tall.png', bytes: new Uint8Array(bytes) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: String(body['id']), sha256: String(body['sha256']) };
};

const picture = async ({ admin }: RunningApi, id: string, width: number, height: number) => {
  const response = await admin.request(`/api/documents/${id}/thumbnail?width=${width}&height=${height}`);
  if (response.status !== 200) throw new Error(`the thumbnail answered ${response.status}`);
  const { width: w, height: h, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  return { width: w, height: h, format };
};

const storedSizes = async ({ storedFiles }: RunningApi, sha256: string): Promise<string[]> =>
  (await storedFiles())
    .filter((path) => path.includes(join('thumbnails', '')) && path.includes(sha256))
    .map((path) => path.slice(path.indexOf(sha256) + 65))
    .toSorted();

fullOnly(test)('a picture of any size fits into the frame that is asked for, and none but the fixed sizes is stored', async (t) => {
  const { id, sha256 } = await given(t.context);
  t.deepEqual(await picture(t.context, id, 300, 400), { width: 200, height: 400, format: 'webp' });
  for (let side = 301; side <= 305; side += 1)
    t.deepEqual(await picture(t.context, id, side, 400), { width: 200, height: 400, format: 'webp' });
  t.deepEqual(await picture(t.context, id, 100, 2_000), { width: 100, height: 200, format: 'webp' });
  t.deepEqual(await picture(t.context, id, 1, 1), { width: 1, height: 1, format: 'webp' });
  t.deepEqual(await picture(t.context, id, 200, 200), { width: 100, height: 200, format: 'webp' });
  t.deepEqual(await storedSizes(t.context, sha256), ['2000x2000.webp', '200x200.webp', '400x400.webp']);
  t.is(THUMBNAIL_SIZES.length, 5);
});
