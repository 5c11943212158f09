import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { documentKey, JoinedStorage, LocalStorage, previewKey, type Storage } from '@sheaf/storage';
import test from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';

/** Two folders joined; what is asked for moves into the first one between the questions to the one and to the other. */
const openMoving = async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-joined-'));
  const open = (name: string): LocalStorage =>
    new LocalStorage({ path: join(folder.path, name), thumbnailPath: join(folder.path, `${name}-thumbnails`) });
  const [main, other] = [open('main'), open('other')];
  const bytes = randomBytes(1_000);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  let asked = 0;
  const move = async (key: string): Promise<void> => {
    asked += 1;
    await main.put(key, bytes);
    await other.delete(key);
  };
  const moving: Storage = changedStorage(other, {
    open: async (key, range) => {
      await move(key);
      return other.open(key, range);
    },
    stat: async (key) => {
      await move(key);
      return other.stat(key);
    },
    localPath: async (key) => {
      await move(key);
      return other.localPath(key);
    },
  });
  return {
    joined: new JoinedStorage(main, [{ storage: moving, isInUse: async () => true }]),
    other,
    bytes,
    sha256,
    scratch: folder.path,
    asked: () => asked,
    [Symbol.asyncDispose]: () => folder.remove(),
  };
};

test('an original that moves while it is asked for is found, whichever way it is asked for', async (t) => {
  for (const ask of ['open', 'stat', 'localPath'] as const) {
    await using moving = await openMoving();
    const { joined, other, bytes, sha256 } = moving;
    const key = documentKey(sha256);
    await other.put(key, bytes);
    if (ask === 'open') t.true(bytes.equals(await buffer((await joined.open(key)).stream)));
    else if (ask === 'stat') t.is((await joined.stat(key))?.sizeBytes, bytes.length);
    else t.is(typeof (await joined.localPath(key, moving.scratch)), 'string');
  }
});

test('for a derived file nobody is asked twice, as it can be made again', async (t) => {
  await using moving = await openMoving();
  await t.throwsAsync(moving.joined.open(previewKey(moving.sha256)), { code: 'FILE_MISSING' });
  t.is(moving.asked(), 1);
});
