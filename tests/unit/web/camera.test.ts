import { photoName } from '@sheaf/web/testing';
import test from 'ava';

test('photos are named by the time at which they were taken, and keep their kind', (t) => {
  const taken = new Date(2026, 2, 4, 9, 5, 7);
  t.is(photoName('image.jpg', taken), '2026-03-04 09.05.07.jpg');
  t.is(photoName('IMG_0001.PNG', taken), '2026-03-04 09.05.07.png');
  t.is(photoName('image', taken), '2026-03-04 09.05.07.jpg');
});
